package io.loligo.server.accesslog;

import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.LogTag;

/**
 * Squid's result code as text ({@code %Ss}): transport, {@code _CF} for a collapsed request, tag,
 * {@code _TIMEDOUT}, {@code _ABORTED}. Every combination is composed once. Immutable.
 */
final class ResultCode {
  private static final int COLLAPSED = 1;
  private static final int TIMED_OUT = 2;
  private static final int ABORTED = 4;
  private static final String[] TEXTS = texts();

  private ResultCode() {}

  static void write(ExchangeRecord record, LogLine line) {
    int flags =
        (record.collapsed ? COLLAPSED : 0)
            | (record.timedOut ? TIMED_OUT : 0)
            | (record.aborted ? ABORTED : 0);
    line.append(TEXTS[record.tag.ordinal() * 8 + flags]);
  }

  private static String[] texts() {
    LogTag[] tags = LogTag.values();
    String[] texts = new String[tags.length * 8];
    for (int i = 0; i < texts.length; i++) {
      texts[i] = text(tags[i / 8], i % 8);
    }
    return texts;
  }

  private static String text(LogTag tag, int flags) {
    String name = tag.name();
    if ((flags & COLLAPSED) != 0 && name.startsWith("TCP_")) {
      name = "TCP_CF_" + name.substring("TCP_".length());
    }
    return name
        + ((flags & TIMED_OUT) != 0 ? "_TIMEDOUT" : "")
        + ((flags & ABORTED) != 0 ? "_ABORTED" : "");
  }
}
