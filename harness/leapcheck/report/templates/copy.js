for (const button of document.querySelectorAll("button.copy")) {
  button.addEventListener("click", async () => {
    const text = button.nextElementSibling
    const said = button.textContent
    try {
      await navigator.clipboard.writeText(text.textContent)
    } catch {
      getSelection().selectAllChildren(text)
      document.execCommand("copy")
    }
    button.textContent = "copied"
    setTimeout(() => { button.textContent = said }, 1500)
  })
}
