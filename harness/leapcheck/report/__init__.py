"""Reports of a finished run: page, Markdown, JSON, tables and terminal; all read the same records, nothing is recomputed."""

from leapcheck.report.console import console_summary
from leapcheck.report.files import write_report
from leapcheck.report.json_format import read_run, run_json
from leapcheck.report.page import html_report
from leapcheck.report.sparsity import sparsity_svg, sparsity_text, write_sparsity_picture
from leapcheck.report.table import accuracy_frame, comparison_frame
from leapcheck.report.text import markdown_report

__all__ = [
    "accuracy_frame",
    "comparison_frame",
    "console_summary",
    "html_report",
    "markdown_report",
    "read_run",
    "run_json",
    "sparsity_svg",
    "sparsity_text",
    "write_report",
    "write_sparsity_picture",
]
