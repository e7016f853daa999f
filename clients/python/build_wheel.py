"""Builds the wheel, as PEP 517 describes. The package is plain Python, so that a wheel is a ZIP archive of its files."""

from __future__ import annotations

import base64
import hashlib
import re
import zipfile
from pathlib import Path
from typing import Any, Dict, Optional

HERE = Path(__file__).resolve().parent


def project() -> Dict[str, str]:
    """Returns the texts of the project table: tomllib is in Python 3.11 and later only."""
    table = (HERE / "pyproject.toml").read_text(encoding="utf-8").partition("[project]")[2].partition("\n[")[0]
    return dict(re.findall(r'^([\w-]+) = "(.*)"$', table, re.MULTILINE))


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """Writes the wheel and returns its name."""
    about = project()
    release = f"{about['name']}-{about['version']}"
    info, name = release + ".dist-info", release + "-py3-none-any.whl"
    metadata = (
        f"Metadata-Version: 2.4\nName: {about['name']}\nVersion: {about['version']}\nSummary: {about['description']}\n"
        f"License-Expression: {about['license']}\nRequires-Python: {about['requires-python']}\nDescription-Content-Type: text/markdown\n\n"
    )
    package = HERE / about["name"]
    files = {f"{about['name']}/{path.name}": path.read_bytes() for path in sorted(package.iterdir()) if path.is_file()}
    files[info + "/METADATA"] = metadata.encode() + (HERE / "README.md").read_bytes()
    files[info + "/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: build_wheel\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    record = "".join(f"{path},sha256={_hash(contents)},{len(contents)}\n" for path, contents in files.items())
    files[info + "/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    with zipfile.ZipFile(Path(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, contents in files.items():
            wheel.writestr(zipfile.ZipInfo(path), contents, zipfile.ZIP_DEFLATED)
    return name


def _hash(contents: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(contents).digest()).rstrip(b"=").decode()
