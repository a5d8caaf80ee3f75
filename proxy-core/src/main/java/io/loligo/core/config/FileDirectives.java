package io.loligo.core.config;

import io.loligo.core.acl.Acls;
import java.util.ArrayList;
import java.util.List;

/** Directives of the configuration language itself. */
public final class FileDirectives {
  /** Their group. */
  public static final Feature FEATURE = new Feature("The file");

  /** {@code acl}: the named conditions. */
  public static final Setting<Acls> ACL =
      FEATURE
          .lines("acl", "NAME TYPE [-i|+i|-n] VALUE...|\"FILE\"", Reading::aclLines)
          .text(
              "Names a condition. Lines of the same name and type add values, any of which may"
                  + " match. Predefined: all, localhost, to_localhost, to_linklocal, manager,"
                  + " CONNECT.");

  static final Setting<List<Line>> INCLUDE =
      FEATURE
          .lines("include", "FILE...", LineList::new)
          .text("Reads other files in this place. Patterns are allowed, and 16 levels.");

  static final Setting<Boolean> QUOTED_VALUES =
      FEATURE
          .flag("configuration_includes_quoted_values", "off")
          .text("Whether quotes join words from this line on.");

  private FileDirectives() {}

  /** The lines unchanged: {@link LineFeed} has carried them out. */
  private record LineList(List<Line> lines) implements LineReader<List<Line>> {
    LineList(Reading reading) {
      this(new ArrayList<>());
    }

    @Override
    public void read(Line line) {
      lines.add(line);
    }

    @Override
    public List<Line> value() {
      return List.copyOf(lines);
    }
  }
}
