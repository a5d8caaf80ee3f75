package io.loligo.core.config;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Feeds the directives of a file and of those it includes, in order: continuations, comments,
 * waivers, macros, conditions. Confined to one thread.
 */
final class LineFeed {
  private static final int MAX_DEPTH = 16;
  private static final Pattern WAIVER = Pattern.compile("^#\\s*loligo:\\s*waive\\b.*");
  private static final Pattern EQUATION = Pattern.compile("(-?[0-9]{1,9})\\s*=\\s*(-?[0-9]{1,9})");
  private static final Map<String, String> MACROS =
      Map.of("${process_name}", "loligo", "${process_number}", "1", "${service_name}", "loligo");

  private final ConfigSource source;
  private final Report report;
  private final Consumer<Line> out;
  private boolean quoted;

  LineFeed(ConfigSource source, Report report, Consumer<Line> out) {
    this.source = source;
    this.report = report;
    this.out = out;
  }

  void read(String file, String text) {
    new OneFile(file, 0).read(text);
  }

  /** An open condition. */
  private record Condition(boolean holds, boolean inElse, int line) {}

  private final class OneFile {
    private final String file;
    private final int depth;
    private final Deque<Condition> conditions = new ArrayDeque<>();
    private boolean waiveNext;

    OneFile(String file, int depth) {
      this.file = file;
      this.depth = depth;
    }

    void read(String text) {
      String[] physical = text.split("\n", -1);
      int at = 0;
      while (at < physical.length) {
        int first = at;
        StringBuilder logical = new StringBuilder(content(physical[at++]));
        while (isContinued(logical)) {
          logical.setLength(logical.length() - 1);
          if (at == physical.length) {
            break;
          }
          at = append(physical, at, logical);
        }
        line(first + 1, logical.toString());
      }
      for (Condition open : conditions) {
        report.structural(file, open.line, "if", "endif on a line of its own", "close the if");
      }
    }

    /**
     * Appends the next line that is neither empty nor a comment; returns where the following lines
     * begin.
     */
    private int append(String[] physical, int from, StringBuilder logical) {
      for (int at = from; at < physical.length; at++) {
        String line = content(physical[at]);
        waiveNext |= WAIVER.matcher(line).matches();
        if (!line.isEmpty() && !line.startsWith("#")) {
          logical.append(line);
          return at + 1;
        }
      }
      return physical.length;
    }

    private static String content(String line) {
      String text = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      return text.stripLeading();
    }

    private static boolean isContinued(StringBuilder line) {
      return line.length() > 0 && line.charAt(line.length() - 1) == '\\' && line.charAt(0) != '#';
    }

    private void line(int number, String raw) {
      String text = expand(raw.strip());
      Words.Split split = Words.split(text, quoted);
      boolean waiver = WAIVER.matcher(split.comment()).matches();
      if (split.words().isEmpty()) {
        waiveNext = waiver;
        return;
      }
      Line line = new Line(file, number, text, split.words(), waiver || waiveNext, quoted);
      waiveNext = false;
      switch (line.directive()) {
        case "if" -> open(line);
        case "else" -> turn(line);
        case "endif" -> close(line);
        default -> {
          if (isActive()) {
            directive(line);
          }
        }
      }
    }

    private boolean isActive() {
      return conditions.stream().allMatch(Condition::holds);
    }

    private void open(Line line) {
      String expression = String.join(" ", line.values());
      Matcher equation = EQUATION.matcher(expression);
      boolean holds = expression.equals("true");
      if (equation.matches()) {
        holds = Integer.parseInt(equation.group(1)) == Integer.parseInt(equation.group(2));
      } else if (!holds && !expression.equals("false")) {
        report.structural(
            file, line.number(), line.text(), "if true, if false or if NUMBER = NUMBER", "");
      }
      conditions.push(new Condition(holds, false, line.number()));
    }

    private void turn(Line line) {
      Condition open = conditions.poll();
      if (open == null || open.inElse) {
        report.structural(file, line.number(), "else", "an if above it", "");
        return;
      }
      conditions.push(new Condition(!open.holds, true, open.line));
    }

    private void close(Line line) {
      if (conditions.poll() == null) {
        report.structural(file, line.number(), "endif", "an if above it", "");
      }
    }

    private void directive(Line line) {
      report.begin(line);
      if (line.directive().equals("include")) {
        include(line);
        return;
      }
      if (line.directive().equals("configuration_includes_quoted_values")) {
        quoted = line.values().size() > 0 && line.values().get(0).equals("on");
      }
      out.accept(line);
    }

    private void include(Line line) {
      if (line.values().isEmpty()) {
        report.error(line, "", "FILE...", "name a file");
      }
      if (depth + 1 > MAX_DEPTH) {
        report.error(line, "", "at most " + MAX_DEPTH + " levels of include", "");
        return;
      }
      for (String pattern : line.values()) {
        String path = pattern.replace("\"", "");
        boolean glob = path.matches(".*[*?\\[].*");
        List<String> files = glob ? source.expand(path) : List.of(path);
        if (files.isEmpty()) {
          report.error(line, pattern, "a file that exists", "no file matches");
        }
        for (String name : files) {
          String text = source.read(name);
          if (text == null) {
            report.error(line, name, "a file that can be read", "");
          } else {
            new OneFile(name, depth + 1).read(text);
          }
        }
      }
    }
  }

  private static String expand(String text) {
    if (text.indexOf("${") < 0) {
      return text;
    }
    String expanded = text;
    for (Map.Entry<String, String> macro : MACROS.entrySet()) {
      expanded = expanded.replace(macro.getKey(), macro.getValue());
    }
    return expanded;
  }
}
