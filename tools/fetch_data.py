#!/usr/bin/env python3
"""Fetches the published data files of docs/data.md and converts them, as the table there says.

usage: fetch_data.py [--mirror URL] FOLDER [FILE...]

Without files, it makes all of them. Data of R packages needs Rscript (Debian: r-base-core). With a mirror, the files come
from URL/HOST/PATH instead of https://HOST/PATH. Check the result with BESTPICK_DATA=FOLDER make data-check: a file whose
rows or numbers are written differently is reported as different, but the estimates must still agree.
"""

import argparse
import csv
import io
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import urllib.request

XLOGIT = "https://raw.githubusercontent.com/arteagac/xlogit/master/examples/data/"


def renamed(columns):
    """Returns a conversion that keeps some columns, in their new order and under new names."""

    def convert(text):
        rows = list(csv.DictReader(io.StringIO(text)))
        return write([list(columns)] + [[row[old] for old in columns.values()] for row in rows])

    return convert


def swissmetro(text):
    """Trips for work (purpose 1 or 3) with a known choice, without alternatives that were not available."""
    table = [["task", "alternative", "chosen", "asc_train", "asc_car", "time", "cost"]]
    task = 0
    for row in csv.DictReader(io.StringIO(text), delimiter="\t"):
        trip = {name.strip(): int(float(value)) for name, value in row.items() if name and name.strip()}
        if trip["PURPOSE"] not in (1, 3) or trip["CHOICE"] == 0:
            continue
        task += 1
        known, paid = trip["SP"] != 0, trip["GA"] == 0  # stated preferences; holders of an annual pass travel free
        for number, name, available, time, cost in (
            (1, "train", trip["TRAIN_AV"] and known, trip["TRAIN_TT"], trip["TRAIN_CO"] * paid),
            (2, "swissmetro", trip["SM_AV"], trip["SM_TT"], trip["SM_CO"] * paid),
            (3, "car", trip["CAR_AV"] and known, trip["CAR_TT"], trip["CAR_CO"]),
        ):
            if available:
                chosen = int(trip["CHOICE"] == number)
                table.append([task, name, chosen, int(name == "train"), int(name == "car"), time / 100, cost / 100])
    return write(table)


def write(table):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(table)
    return text.getvalue()


# Files on the web, and how to convert them.
WEB = {
    "swissmetro.csv": ("https://transp-or.epfl.ch/data/swissmetro.dat", swissmetro),
    "electricity.csv": (
        XLOGIT + "electricity_long.csv",
        renamed({"task": "chid", "respondent": "id", "alternative": "alt", "chosen": "choice",
                 **{name: name for name in ("pf", "cl", "loc", "wk", "tod", "seas")}}),
    ),
    "fishing.csv": (
        XLOGIT + "fishing_long.csv",
        renamed({"task": "choice_id", "alternative": "alternative", "chosen": "choice", "price": "price", "catch": "catch"}),
    ),
    "llm-votes.csv": ("https://raw.githubusercontent.com/dustalov/evalica/master/llmfao.csv", lambda text: text),
}

# Data of R packages: the package with its version, the name of the data, and R code that turns data into a table.
R = {
    "heating.csv": ("mlogit_1.1-3", "Heating", """
        names <- c("gc", "gr", "ec", "er", "hp")
        rows <- lapply(names, function(n) data.frame(task = data$idcase, alternative = n, chosen = as.integer(data$depvar == n),
            ic = data[[paste0("ic.", n)]], oc = data[[paste0("oc.", n)]]))
        table <- do.call(rbind, rows)
        table <- table[order(table$task, match(table$alternative, names)), ]"""),
    "yogurt.csv": ("logitr_1.1.2", "yogurt", """
        table <- data.frame(task = data$obsID, respondent = data$id, alternative = data$alt, chosen = data$choice,
            price = data$price, feat = data$feat, brand = data$brand)"""),
    "camera.csv": ("bayesm_3.1-6", "camera", """
        table <- do.call(rbind, lapply(seq_along(data), function(i) {
            tasks <- length(data[[i]]$y)
            task <- rep(seq_len(tasks), each = 5)
            data.frame(task = 100 * i + task, respondent = i, alternative = rep(1:5, tasks),
                chosen = as.integer(data[[i]]$y[task] == rep(1:5, tasks)), data[[i]]$X)
        }))"""),
    "votes/baseball.csv": ("BradleyTerry2_1.1-2", "baseball", "table <- data"),
    "votes/citations.csv": ("BradleyTerry2_1.1-2", "citations", "table <- data"),
    "votes/salad.csv": ("prefmod_0.8-36", "salad", "table <- data"),
    "votes/beans.csv": ("PlackettLuce_0.4.3", "beans", """
        table <- data[, c("variety_a", "variety_b", "variety_c", "best", "worst", "season", "year")]"""),
}


def fetch(address, mirror):
    address = mirror.rstrip("/") + "/" + address.removeprefix("https://") if mirror else address
    with urllib.request.urlopen(address, timeout=60) as reply:
        return reply.read()


def from_r(file, mirror):
    """Returns the data of an R package as CSV: from its current release, or else from the archive of the mirror."""
    package, name, code = R[file]
    folder = "https://cran.r-project.org/src/contrib/"
    try:
        source = fetch(folder + package + ".tar.gz", mirror)
    except OSError:
        source = fetch(folder + "Archive/" + package.split("_")[0] + "/" + package + ".tar.gz", mirror)
    with tempfile.TemporaryDirectory() as folder, tarfile.open(fileobj=io.BytesIO(source)) as package_files:
        data = next(f for f in package_files if "/data/" in f.name and pathlib.Path(f.name).stem.lower() == name.lower())
        saved = pathlib.Path(folder, "data" + pathlib.Path(data.name).suffix)
        saved.write_bytes(package_files.extractfile(data).read())
        rows = "TRUE" if file == "votes/citations.csv" else "FALSE"
        plain = "" if file.startswith("votes/") else ", quote = FALSE"
        script = f'load("{saved}"); data <- get("{name}"); {code.strip()}\nwrite.csv(table, row.names = {rows}{plain})'
        return subprocess.run(["Rscript", "--vanilla", "-e", script], check=True, capture_output=True, text=True).stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirror", default="", help="address that replaces https://")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("files", nargs="*", metavar="file", help="such as camera.csv; defaults to all")
    options = parser.parse_args()
    unknown = set(options.files) - set(WEB) - set(R)
    if unknown:
        parser.error(f"files must be some of {', '.join([*WEB, *R])}, got {', '.join(sorted(unknown))}")
    failed = 0
    for file in options.files or [*WEB, *R]:
        try:
            if file in WEB:
                address, convert = WEB[file]
                text = convert(fetch(address, options.mirror).decode())
            else:
                text = from_r(file, options.mirror)
        except (OSError, KeyError, ValueError, StopIteration, tarfile.TarError, subprocess.CalledProcessError) as problem:
            failed += 1
            print(f"{file}: {getattr(problem, 'stderr', None) or repr(problem)}", file=sys.stderr)
            continue
        target = options.folder / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, newline="")
        print(f"{file}: {text.count(chr(10)) - 1} rows")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
