package io.loligo.server.cli;

import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jline.terminal.Attributes;
import org.jline.terminal.Attributes.LocalFlag;
import org.jline.terminal.Terminal;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStyle;
import org.jline.utils.Display;
import org.jline.utils.InfoCmp.Capability;
import org.jline.utils.NonBlockingReader;

/** The live view in a terminal: a look each second, and keys. Confined to one thread. */
final class TopScreen {
  static final long PERIOD_MILLIS = 1_000;

  private static final int CTRL_C = 3;
  private static final long NANOS_IN_MILLI = 1_000_000;

  private static final List<String> HELP =
      List.of(
          "q        ends, as Ctrl-C does",
          "s        sorts origins and clients by the next number: requests, bytes, errors",
          "p        pauses, and continues",
          "?        shows this; any key goes back",
          "",
          "Rates, and the ratios beside them, are those of the last second. 'in all' is",
          "since the start of the proxy; beside it are open connections from clients and",
          "to origins, and tunnels. Times are those of the last minute; origins, clients",
          "and the slowest requests are those of the last minutes.");

  private final Terminal terminal;
  private final TopSource source;
  private final ZoneId zone;
  private final Display display;
  private TopView.Order order = TopView.Order.REQUESTS;
  private boolean isPaused;
  private boolean isHelping;

  TopScreen(Terminal terminal, TopSource source, ZoneId zone) {
    this.terminal = terminal;
    this.source = source;
    this.zone = zone;
    display = new Display(terminal, true);
  }

  /** Shows views until the key q or Ctrl-C, or the end of the input. */
  void run() throws CommandFailure, InterruptedException, IOException {
    Attributes before = terminal.enterRawMode();
    // Ctrl-C is a key: its signal would end the process, and leave the terminal as it is
    Attributes keys = terminal.getAttributes();
    keys.setLocalFlag(LocalFlag.ISIG, false);
    terminal.setAttributes(keys);
    terminal.puts(Capability.enter_ca_mode);
    terminal.puts(Capability.cursor_invisible);
    try {
      source.look();
      long lookedNanos = System.nanoTime();
      int key;
      do {
        show();
        long waited = (System.nanoTime() - lookedNanos) / NANOS_IN_MILLI;
        key = terminal.reader().read(Math.max(1, PERIOD_MILLIS - waited));
        if (key != NonBlockingReader.READ_EXPIRED) {
          press(key);
        } else {
          if (!isPaused) {
            source.look();
          }
          lookedNanos = System.nanoTime();
        }
      } while (key != 'q' && key != CTRL_C && key != NonBlockingReader.EOF);
    } finally {
      terminal.puts(Capability.cursor_visible);
      terminal.puts(Capability.exit_ca_mode);
      terminal.setAttributes(before);
      terminal.flush();
    }
  }

  private void press(int key) {
    if (isHelping) {
      isHelping = false;
    } else if (key == '?') {
      isHelping = true;
    } else if (key == 's') {
      order = order.next();
    } else if (key == 'p') {
      isPaused = !isPaused;
    }
  }

  private void show() {
    int columns = Math.max(1, terminal.getWidth());
    int lines = Math.max(2, terminal.getHeight());
    display.resize(lines, columns);
    List<String> view = isHelping ? HELP : new TopView(columns, lines, order, zone).lines(source);
    List<AttributedString> shown = new ArrayList<>();
    view.stream().limit(lines - 1L).forEach(line -> shown.add(styled(cut(line, columns))));
    while (shown.size() < lines - 1) {
      shown.add(AttributedString.EMPTY);
    }
    String keys =
        "q quit  s sort: "
            + order.member()
            + "  p "
            + (isPaused ? "continue (paused)" : "pause")
            + "  ? help";
    shown.add(new AttributedString(cut(keys, columns), AttributedStyle.INVERSE));
    display.update(shown, -1);
    terminal.flush();
  }

  private static String cut(String line, int columns) {
    return line.substring(0, Math.min(columns, line.length()));
  }

  /** Heads of tables are bold. */
  private static AttributedString styled(String line) {
    boolean head =
        line.chars().anyMatch(Character::isUpperCase) && line.equals(line.toUpperCase(Locale.ROOT));
    return head ? new AttributedString(line, AttributedStyle.BOLD) : new AttributedString(line);
  }
}
