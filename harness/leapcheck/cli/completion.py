"""`leapcheck completion SHELL`: what makes a shell complete commands, options and names of robots."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import tyro

BASH = """\
# leapcheck: eval "$(leapcheck completion bash)"
_leapcheck() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}" words=""
    if [ "$COMP_CWORD" -eq 1 ]; then
        words="{commands} --help --version"
    else
        case "${{COMP_WORDS[1]}}" in
{cases}
        esac
        case "$word" in -*) ;; *) words="$words {robots}";; esac
    fi
    COMPREPLY=($(compgen -W "$words" -- "$word") $(compgen -f -- "$word"))
}}
complete -o filenames -F _leapcheck leapcheck
"""

ZSH = "autoload -Uz bashcompinit && bashcompinit\n"
"""zsh runs bash's completions."""


@dataclass(frozen=True)
class CompletionCommand:
    """Print a script that makes the shell complete leapcheck's commands, options and named robots.

    In ~/.bashrc: eval "$(leapcheck completion bash)"; so in ~/.zshrc. In fish's configuration:
    leapcheck completion fish | source.

    Examples:
      leapcheck completion bash
    """

    shell: Annotated[Literal["bash", "zsh", "fish"], tyro.conf.Positional, tyro.conf.arg(metavar="SHELL")]
    """bash, zsh or fish."""

    def run(self) -> int:
        """Prints the script; returns 0."""
        print(fish_script() if self.shell == "fish" else (ZSH if self.shell == "zsh" else "") + bash_script(), end="")
        return 0


def bash_script() -> str:
    """The script for bash."""
    from leapcheck.cli import COMMANDS, command_options
    from leapcheck_models.robots import ROBOTS

    cases = "\n".join(f'            {name}) words="{" ".join(command_options(name))}" ;;' for name in COMMANDS)
    return BASH.format(commands=" ".join(COMMANDS), cases=cases, robots=" ".join(ROBOTS))


def fish_script() -> str:
    """The script for fish."""
    from leapcheck.cli import COMMANDS, command_options
    from leapcheck_models.robots import ROBOTS

    first = "complete -c leapcheck -n __fish_use_subcommand -f"
    lines = [f"{first} -a {name} -d '{_quoted(what)}'" for name, what in COMMANDS.items()]
    for name in COMMANDS:
        of = f"complete -c leapcheck -n '__fish_seen_subcommand_from {name}'"
        lines += [f"{of} -l {option.removeprefix('--')}" for option in command_options(name)]
        lines.append(f"{of} -a '{' '.join(ROBOTS)}'")
    return "".join(f"{line}\n" for line in lines)


def _quoted(text: str) -> str:
    return text.replace("\\", "\\\\").replace("'", "\\'")
