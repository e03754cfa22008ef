"""Names the failed tests of a JUnit file, each with the start of its message."""

import sys
import xml.etree.ElementTree as ElementTree

for case in ElementTree.parse(sys.argv[1]).iter("testcase"):
    fault = case.find("failure")
    if fault is None:
        fault = case.find("error")
    if fault is not None:
        said = " ".join((fault.get("message") or fault.get("type") or "").split())
        print(f"{case.get('classname')} {case.get('name')}: {said[:300]}")
