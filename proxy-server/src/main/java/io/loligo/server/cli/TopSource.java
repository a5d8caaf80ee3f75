package io.loligo.server.cli;

import io.loligo.server.json.JsonValue;
import org.jspecify.annotations.Nullable;

/** The last two states of a proxy, and its traffic. Confined to one thread. */
final class TopSource {
  /** Gets a page of the admin port. */
  @FunctionalInterface
  interface Pages {
    String get(String page) throws CommandFailure, InterruptedException;
  }

  /** The traffic of minutes changes slowly, and takes the proxy more time. */
  private static final int LOOKS_BETWEEN = 5;

  private final Pages pages;
  private int looks;
  private @Nullable Figures before;
  private @Nullable Figures now;
  private JsonValue traffic = JsonValue.parse("{}");

  TopSource(Pages pages) {
    this.pages = pages;
  }

  /** Asks the proxy for its present state. */
  void look() throws CommandFailure, InterruptedException {
    Figures newest = new Figures(JsonValue.parse(pages.get("/state")));
    before = now;
    now = newest;
    if (looks % LOOKS_BETWEEN == 0) {
      traffic = JsonValue.parse(pages.get("/traffic"));
    }
    looks++;
  }

  /** The newest state; there is one after the first look. */
  Figures now() {
    Figures newest = now;
    if (newest == null) {
      throw new IllegalStateException("no look yet");
    }
    return newest;
  }

  /** The growth of a number a second, between the last two looks; 0 after one. */
  double rate(Figures.Counted number) {
    Figures earlier = before;
    return earlier == null ? 0 : now().rate(earlier, number);
  }

  /** The growth of {@code part} for each {@code whole} since the look before; 0 without growth. */
  double ratio(Figures.Counted part, Figures.Counted whole) {
    return Figures.ratio(rate(part), rate(whole));
  }

  /** The object of {@code /traffic}. */
  JsonValue traffic() {
    return traffic;
  }
}
