"""Reports of a finished run: page, Markdown, JSON, tables and terminal; all read the same records, nothing is recomputed."""

from leapcheck.report.comparison.console import console_summary
from leapcheck.report.comparison.files import write_report
from leapcheck.report.comparison.frames import accuracy_frame, comparison_frame
from leapcheck.report.comparison.page import html_report, markdown_report
from leapcheck.report.comparison.results import read_run, run_json
from leapcheck.report.comparison.sparsity import sparsity_svg, sparsity_text, write_sparsity_picture

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
