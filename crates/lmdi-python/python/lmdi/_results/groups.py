"""Groups of columns under one name."""

from __future__ import annotations


def group_columns(groups: dict[str, list[str]] | None, names: list[str]) -> tuple[list[str], list[int]]:
    """The names of groups and of columns in none, and for each column the place of its group among them.

    A group takes the place of its first column.
    """
    if groups is not None and not hasattr(groups, "items"):
        raise TypeError(f"groups is {type(groups).__name__}; expected a dict from a name to its columns")
    group_of: dict[str, str] = {}
    known = set(names)
    for group, members in (groups or {}).items():
        if isinstance(members, str):
            raise TypeError(f"group {group!r} is the text {members!r}; expected a list of columns")
        for member in members:
            if member not in known:
                raise ValueError(f"group {group!r} names {member!r}, which is no column")
            if member in group_of:
                raise ValueError(f"{member!r} is in two groups, {group_of[member]!r} and {group!r}")
            group_of[member] = group
    for group in groups or {}:
        if group in known and group_of.get(group) != group:
            raise ValueError(f"group {group!r} has the name of a column that is not in it; rename it")
    found: list[str] = []
    places: list[int] = []
    of_group: dict[str, int] = {}
    for name in names:
        # Columns of one name that are in no group stay apart.
        group_name = group_of.get(name)
        place = len(found) if group_name is None else of_group.setdefault(group_name, len(found))
        if place == len(found):
            found.append(name if group_name is None else group_name)
        places.append(place)
    return found, places
