package io.loligo.store.disk;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The tables of {@code docs/disk-format.md}. Immutable. */
public final class FormatPage {
  private static final Path PAGE = Path.of("../docs/disk-format.md");

  /** Rows by the title they stand under; cells are stripped. */
  private final Map<String, List<String[]>> rows = new HashMap<>();

  public FormatPage() {
    try {
      String title = "";
      for (String line : Files.readAllLines(PAGE)) {
        if (line.startsWith("#")) {
          title = line.replaceFirst("^#+ ", "");
        } else if (line.startsWith("| ") && !line.startsWith("| ---")) {
          String[] cells = line.substring(1).split("\\|", -1);
          for (int i = 0; i < cells.length; i++) {
            cells[i] = cells[i].strip();
          }
          rows.computeIfAbsent(title, ignored -> new ArrayList<>()).add(cells);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The last row under {@code title} whose cell {@code column} is {@code name}. */
  private String[] row(String title, int column, String name) {
    String[] found = null;
    for (String[] row : rows.getOrDefault(title, List.of())) {
      if (row[column].equals(name)) {
        found = row;
      }
    }
    if (found == null) {
      throw new AssertionError(PAGE + ": no " + name + " under " + title);
    }
    return found;
  }

  public long constant(String name) {
    return Long.decode(row("Constants", 0, name)[1]);
  }

  /** The number of a journal record's type. */
  int type(String name) {
    return Integer.parseInt(row("Journal record", 1, name)[0]);
  }

  /** Where a field begins. */
  public int offset(String title, String field) {
    return Integer.parseInt(row(title, 2, field)[0]);
  }

  /** Where a field ends: the last of that name. */
  public int end(String title, String field) {
    return offset(title, field) + Integer.parseInt(row(title, 2, field)[1]);
  }

  /** The examples of how space is divided: megabytes, then as in the table. */
  List<long[]> geometries() {
    List<long[]> found = new ArrayList<>();
    for (String[] row : rows.get("How the space is divided")) {
      if (row[0].endsWith(" MB")) {
        long[] numbers = new long[8];
        for (int i = 0; i < numbers.length; i++) {
          numbers[i] = Long.parseLong(row[i].replaceAll("[, MB]", ""));
        }
        found.add(numbers);
      }
    }
    return found;
  }
}
