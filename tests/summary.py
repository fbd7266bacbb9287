#!/usr/bin/env python3
"""Counts the test cases of a Meson test run.

usage: summary.py [--reasons] TESTLOG.json

Prints one line, "N passed, N failed, N skipped". A test program that lists its cases (cmocka,
Python's unittest) counts by them, any other as one case. With --reasons a line for each skipped
case comes first. Before them, a line "failed NAME: RESULT" for each program that failed, and the
last lines that it printed, indented. Exits with 1 when anything failed or nothing ran.
"""
import json
import re
import sys

CASE = re.compile(r'^\[ *(OK|FAILED|SKIPPED|ERROR) *\] (\w+)$', re.M)
CMOCKA = re.compile(r'^\[=+\] .*[Rr]unning \d+ test', re.M)
REASON = re.compile(r'^(?:skipped: (.*)|\[ *SKIPPED *\] (\w+))$', re.M)
UNITTEST = re.compile(r'^Ran (\d+) tests? in ', re.M)
UNITTEST_SKIP = re.compile(r"^(\w+) \([\w.]+\)(?:\n.*)? \.\.\. skipped ['\"](.*)['\"]$", re.M)
LAST_LINES = 40  # of what a program that failed printed


def cmocka_cases(text):
    """{name: outcome}: a name stands again in the lists at the end."""
    return {name: outcome for outcome, name in CASE.findall(text)}


def cmocka_reasons(text):
    """(case, reason) for each skip; the reason is a line of the case's own, before its outcome."""
    found, reason = {}, ''
    for words, name in REASON.findall(text):
        if name:
            found.setdefault(name, reason)
        reason = words
    return list(found.items())


def unittest_counts(text):
    ran = int(UNITTEST.search(text).group(1))
    numbers = {word: int(number) for word, number in
               re.findall(r'\b(failures|errors|skipped)=(\d+)', text)}
    failed = min(ran, numbers.get('failures', 0) + numbers.get('errors', 0))
    skipped = min(ran - failed, numbers.get('skipped', 0))
    return ran - failed - skipped, failed, skipped


def count(record):
    """(passed, failed, skipped, [(case, reason)]) of one test program."""
    output, errors = record.get('stdout') or '', record.get('stderr') or ''
    result = record['result']
    reasons = []
    if result == 'SKIP':
        lines = (output + errors).strip().splitlines()
        return 0, 0, 1, [('all', lines[-1] if lines else '')]
    if CMOCKA.search(output):
        outcomes = list(cmocka_cases(output).values())
        skipped = outcomes.count('SKIPPED')
        passed = outcomes.count('OK')
        failed = len(outcomes) - passed - skipped
        reasons = cmocka_reasons(output)
    elif UNITTEST.search(errors):
        passed, failed, skipped = unittest_counts(errors)
        reasons = UNITTEST_SKIP.findall(errors)
    else:
        passed, failed, skipped = int(result == 'OK'), 0, 0
    if result not in ('OK', 'EXPECTEDFAIL') and failed == 0:
        failed = 1  # it died, or timed out, in a case that is in no list
    return passed, failed, skipped, reasons


def print_failure(record):
    name, result = record['name'].split(' / ')[-1], record['result']
    print(f'failed {name}: {result}, exit status {record.get("returncode", "none")}')
    for stream in 'stdout', 'stderr':
        for line in (record.get(stream) or '').rstrip().splitlines()[-LAST_LINES:]:
            print('    ' + line)


def main():
    arguments = [word for word in sys.argv[1:] if word != '--reasons']
    if len(arguments) != 1:
        sys.exit(__doc__)
    totals = [0, 0, 0]
    with open(arguments[0], encoding='utf-8') as file:
        for line in file:
            record = json.loads(line)
            *numbers, reasons = count(record)
            if numbers[1]:
                print_failure(record)
            totals = [total + number for total, number in zip(totals, numbers)]
            if '--reasons' in sys.argv:
                for case, reason in reasons:
                    name = record['name'].split(' / ')[-1]
                    print(f'{name}: {case}: {reason}'.rstrip(': '))
    print('{} passed, {} failed, {} skipped'.format(*totals))
    sys.exit(totals[1] > 0 or sum(totals) == 0)


if __name__ == '__main__':
    main()
