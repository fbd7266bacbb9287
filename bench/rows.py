"""Reads what clspline-bench writes with --json, for all scripts of this folder: a JSON object a
line, which bench/report.h describes. Needs the standard library only."""
import json


def read(path):
    """The rows of a file, in its order."""
    with open(path, encoding='utf-8') as file:
        return [json.loads(line) for line in file if line.strip()]


def write(path, rows):
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(json.dumps(row) + '\n' for row in rows)


def key(row):
    return row['suite'], row['case'], row['method'], row['precision'] or ''
