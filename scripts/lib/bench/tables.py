"""Figures as tables."""


def print_figures(title, rows):
    print(f"\n{title:34}{'requests/s':>11}{'p50 ms':>9}{'p99 ms':>9}{'CPU ms/1,000':>14}{'peak MB':>9}")
    for name, row in rows.items():
        print(
            f"{name:34}{row.per_second:11,.0f}{row.p50_ms:9.2f}{row.p99_ms:9.2f}"
            f"{row.cpu_ms_per_1000:14.1f}{row.peak_mb:9.1f}"
        )


def print_ratios(title, rows):
    """Each row is a name with the figures that are divided, and those that they are divided by."""
    print(f"\n{title:34}{'requests/s':>11}{'p50':>9}{'p99':>9}{'CPU':>14}")
    for name, one, other in rows:
        print(
            f"{name:34}{one.per_second / other.per_second:11.2f}{one.p50_ms / other.p50_ms:9.2f}"
            f"{one.p99_ms / other.p99_ms:9.2f}{one.cpu_ms_per_1000 / other.cpu_ms_per_1000:14.2f}"
        )


def print_growth(title, rows):
    """Rows by a number, of collections as well as of permissions, and by who reads."""
    print(f"\n{title:47}{'requests/s':>11}{'p50 ms':>9}{'CPU ms/1,000':>14}{'CPU : first':>13}")
    first = {}
    for (size, who), row in rows.items():
        name = f"{size:6,} collections, {size:6,} permissions, {who}"
        cpu = row.cpu_ms_per_1000
        growth = cpu / first.setdefault(who, cpu)
        print(f"{name:47}{row.per_second:11,.0f}{row.p50_ms:9.2f}{cpu:14.1f}{growth:13.2f}")


def print_table(title, columns, rows):
    """Columns are headings with the format of their values; each row is a name with its values."""
    print("\n" + f"{title:34}" + "".join(f"{heading:>{width(heading)}}" for heading in columns))
    for name, values in rows:
        cells = zip(columns.items(), values, strict=True)
        print(f"{name:34}" + "".join(f"{value:{width(heading)}{form}}" for (heading, form), value in cells))


def width(heading):
    return max(len(heading) + 3, 10)
