package io.loligo.server.manager;

import io.loligo.core.config.Line;
import io.loligo.core.config.LineReader;
import io.loligo.core.config.Reading;
import io.loligo.core.config.Report;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reads {@code cachemgr_passwd}. Confined to one thread. */
final class PasswordLines implements LineReader<ManagerPasswords> {
  static final String FORM = "PASSWORD|disable|none PAGE|all...";

  private final Report report;
  private final List<ManagerPasswords.Line> lines = new ArrayList<>();

  PasswordLines(Reading reading) {
    report = reading.report();
  }

  @Override
  public void read(Line line) {
    List<String> values = line.values();
    if (values.size() < 2) {
      report.error(line, "", FORM, "");
      return;
    }
    List<String> pages = new ArrayList<>();
    for (String word : values.subList(1, values.size())) {
      String page = word.toLowerCase(Locale.ROOT);
      if (page.equals(ManagerPasswords.ALL) || ManagerPage.named(page) != null) {
        pages.add(page);
      } else {
        report.warning(line, word, "the name of a page, or all", "ignored: there is no such page");
      }
    }
    lines.add(new ManagerPasswords.Line(values.get(0), pages));
  }

  @Override
  public ManagerPasswords value() {
    return new ManagerPasswords(lines);
  }
}
