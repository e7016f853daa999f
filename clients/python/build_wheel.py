"""Builds the wheel, as PEP 517 describes: a ZIP archive of the package's files.

    python3 build_wheel.py FOLDER PROGRAM TAG

builds a wheel for one platform, which also installs the program bestpick, such as TAG py3-none-win_amd64.
"""

from __future__ import annotations

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

HERE = Path(__file__).resolve().parent


def project() -> Dict[str, str]:
    """Returns the texts of the project table (tomllib is in Python 3.11 and later only) and the package's version."""
    table = (HERE / "pyproject.toml").read_text(encoding="utf-8").partition("[project]")[2].partition("\n[")[0]
    about = dict(re.findall(r'^([\w-]+) = "(.*)"$', table, re.MULTILINE))
    source = (HERE / about["name"] / "__init__.py").read_text(encoding="utf-8")
    about["version"] = re.findall(r'^__version__ = "(.*)"$', source, re.MULTILINE)[0]
    return about


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """Writes the wheel without the program and returns its name."""
    return write_wheel(wheel_directory, "py3-none-any", None)


def write_wheel(folder: str, tag: str, program: Optional[Path]) -> str:
    """Writes the wheel of a platform, with its program if there is one, and returns its name."""
    about = project()
    release = f"{about['name']}-{about['version']}"
    info, name = release + ".dist-info", f"{release}-{tag}.whl"
    metadata = (
        f"Metadata-Version: 2.4\nName: {about['name']}\nVersion: {about['version']}\nSummary: {about['description']}\n"
        f"License-Expression: {about['license']}\nRequires-Python: {about['requires-python']}\nDescription-Content-Type: text/markdown\n\n"
    )
    package = HERE / about["name"]
    files = {f"{about['name']}/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    if program:
        files[f"{release}.data/scripts/{program.name}"] = program.read_bytes()
    pure = "true" if program is None else "false"
    files[info + "/METADATA"] = metadata.encode() + (HERE / "README.md").read_bytes()
    files[info + "/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode()
    record = "".join(f"{path},sha256={_hash(contents)},{len(contents)}\n" for path, contents in files.items())
    files[info + "/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(folder, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, contents in files.items():
            entry = zipfile.ZipInfo(path)
            entry.external_attr = (0o755 if "/scripts/" in path else 0o644) << 16
            wheel.writestr(entry, contents, zipfile.ZIP_DEFLATED)
    return name


def _hash(contents: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()


if __name__ == "__main__":
    print(write_wheel(sys.argv[1], sys.argv[3], Path(sys.argv[2])))
