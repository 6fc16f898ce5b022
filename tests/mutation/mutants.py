"""Mutants of a Python module: one small change each, made on its syntax tree.

Changed are operators, comparisons, conditions, signs, numbers (indices and slice bounds among them), `.T`, the order of
arguments; removed are statements whose effect stays behind (assignments to entries, raises, calls). Left alone are
docstrings, annotations, decorators, imports, the words of messages, `strict=True`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}

UNSWAPPED = ("isinstance", "cast", "getattr", "hasattr", "result_type", "max", "min")
"""Calls whose first two arguments are of different kinds, so that swapping them only raises, or of no order."""


@dataclass(frozen=True, slots=True)
class Mutant:
    """One changed module: `before` and `after` are the text of the changed node, `statement` that of the line it is in."""

    module: str
    line: int
    statement: str
    before: str
    after: str
    source: str

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What a judgement is filed under: independent of line numbers."""
        return (self.module, self.statement, self.before, self.after)


def mutants(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its text; each one parses and differs from the module."""
    tree = ast.parse(source)
    lines = source.splitlines()
    found = []
    for place, node in enumerate(_nodes(tree)):
        for after in (after for after in _variants(node) if ast.unparse(after) != ast.unparse(node)):
            text = ast.unparse(_replaced(tree, place, after))
            line: int = node.lineno
            statement = " ".join(lines[line - 1].split())
            found.append(Mutant(module, line, statement, _short(node), _short(after), text))
    return found


def _short(node: ast.AST) -> str:
    return " ".join(ast.unparse(node).split())[:120]


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """The nodes that may be changed, in the order of the text."""
    return list(_walk(tree))


def _walk(node: ast.AST) -> Iterator[ast.AST]:
    for child in _children(node):
        if isinstance(child, ast.expr | ast.stmt):
            yield child
        yield from _walk(child)


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """Children without annotations, decorators, imports, docstrings and messages."""
    if isinstance(node, ast.Raise | ast.JoinedStr | ast.Import | ast.ImportFrom):
        return
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == "__all__":
        return
    if isinstance(node, ast.keyword) and node.arg == "strict":  # of zip: a check of the code itself
        return
    skipped = {"annotation", "returns", "decorator_list", "bases", "keywords"} if _is_declaration(node) else {"annotation"}
    for name, value in ast.iter_fields(node):
        if name not in skipped:
            yield from (item for item in (value if isinstance(value, list) else [value]) if isinstance(item, ast.AST))


def _is_declaration(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _variants(node: ast.AST) -> list[ast.AST]:  # noqa: C901  (one table)
    """The nodes that may stand instead."""
    match node:
        case ast.BinOp(left, ast.MatMult(), right):
            return [ast.BinOp(right, ast.MatMult(), left)]
        case ast.BinOp(left, op, right) if type(op) in OPERATORS:
            return [ast.BinOp(left, OPERATORS[type(op)](), right)]
        case ast.AugAssign(target, op, value) if type(op) in OPERATORS:
            return [ast.AugAssign(target, OPERATORS[type(op)](), value), ast.Pass()]
        case ast.UnaryOp(ast.USub() | ast.Not(), operand):
            return [operand]
        case ast.Compare(left, [op], comparators) if type(op) in COMPARISONS:
            return [ast.Compare(left, [COMPARISONS[type(op)]()], comparators)]
        case ast.Compare(left, [first, second], comparators) if type(second) in COMPARISONS:
            return [ast.Compare(left, [first, COMPARISONS[type(second)]()], comparators)]
        case ast.BoolOp(op, values):
            return [ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)]
        case ast.IfExp(test, body, orelse):
            return [ast.IfExp(test, orelse, body)]
        case ast.If(test, body, orelse):
            return [ast.If(ast.UnaryOp(ast.Not(), test), body, orelse)]
        case ast.Constant(bool(value)):
            return [ast.Constant(not value)]
        case ast.Constant(int(value) | float(value)):
            return [ast.Constant(value + 1)]
        case ast.Attribute(value, "T"):
            return [value]
        case ast.Call(ast.Name("reversed"), [argument]):
            return [argument]
        case ast.Call(func, [first, second, *rest], keywords) if ast.unparse(func).rpartition(".")[2] not in UNSWAPPED:
            return [ast.Call(func, [second, first, *rest], keywords)]
        case ast.Raise() | ast.Expr(ast.Call() | ast.YieldFrom() | ast.Yield()):
            return [ast.Pass()]
        case ast.Assign([ast.Subscript() | ast.Attribute()]):
            return [ast.Pass()]
    return []


def _replaced(tree: ast.Module, place: int, after: ast.AST) -> ast.Module:
    """The module with node number `place` replaced."""
    changed = copy.deepcopy(tree)
    target = _nodes(changed)[place]

    class Replacer(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            return copy.deepcopy(after) if node is target else self.generic_visit(node)

    module = Replacer().visit(changed)
    assert isinstance(module, ast.Module)
    return ast.fix_missing_locations(module)
