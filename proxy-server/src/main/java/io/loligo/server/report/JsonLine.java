package io.loligo.server.report;

import java.nio.charset.StandardCharsets;

/**
 * The format {@code loligo_json}: one object (RFC 8259) in a line, of which the members with facts
 * for graphs are read, in any order. White space between the parts is not accepted: the proxy
 * writes none. Confined to one thread.
 */
final class JsonLine extends LineCursor {
  private static final byte[] TIME = name("time");
  private static final byte[] MICROS = name("micros");
  private static final byte[] METHOD = name("method");
  private static final byte[] URL = name("url");
  private static final byte[] STATUS = name("status");
  private static final byte[] BYTES_OUT = name("bytesOut");
  private static final byte[] RESULT = name("result");
  private static final byte[] FROM_DISK = name("fromDisk");
  private static final byte[] STAGES = name("stages");
  private static final byte[] GET = name("GET");
  private static final byte[] CONNECT = name("CONNECT");

  private static final long SECOND_MICROS = 1_000_000;

  /** Objects and arrays in each other. */
  private static final int DEEPEST = 16;

  private final ResultCodes results;
  private boolean connect;
  private boolean fromDisk;
  private boolean result;

  JsonLine(ResultCodes results) {
    this.results = results;
  }

  private static byte[] name(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Fills {@code into}; false: the line does not have this format. */
  boolean parse(byte[] line, int from, int to, LoggedAccess into) {
    begin(line, from, to);
    connect = false;
    fromDisk = false;
    result = false;
    into.micros = -1;
    if (!pass('{')) {
      return false;
    }
    do {
      int start = at + 1;
      if (!string()) {
        return false;
      }
      int stop = at - 1;
      if (!pass(':') || !member(start, stop, into)) {
        return false;
      }
    } while (pass(','));
    if (connect) {
      into.kind = AccessKind.OTHER;
    } else if (into.kind == AccessKind.OTHER_HIT && fromDisk) {
      into.kind = AccessKind.DISK_HIT;
    }
    return pass('}') && at == end && result && into.micros >= 0;
  }

  private boolean member(int start, int stop, LoggedAccess into) {
    if (isText(start, stop, STAGES)) {
      return stages(into);
    }
    int from = at;
    if (!value(0)) {
      return false;
    }
    boolean text = bytes[from] == '"';
    int first = text ? from + 1 : from;
    int last = text ? at - 1 : at;
    if (isText(start, stop, TIME)) {
      into.endMicros = time(first, last);
      return into.endMicros >= 0;
    } else if (isText(start, stop, MICROS)) {
      into.micros = number(first, last);
      return into.micros >= 0;
    } else if (isText(start, stop, METHOD)) {
      into.get = isText(first, last, GET);
      connect = isText(first, last, CONNECT);
    } else if (isText(start, stop, URL)) {
      into.file = hash(first, last);
    } else if (isText(start, stop, STATUS)) {
      into.status = (int) Math.min(999, Math.max(0, number(first, last)));
    } else if (isText(start, stop, BYTES_OUT)) {
      into.bytes = number(first, last);
    } else if (isText(start, stop, RESULT)) {
      result = results.classify(bytes, first, last, into);
      return result;
    } else if (isText(start, stop, FROM_DISK)) {
      fromDisk = bytes[first] == 't';
    }
    return true;
  }

  /** The whole number between two positions; -1: none. */
  private long number(int from, int to) {
    int back = at;
    at = from;
    long value = digits();
    value = at == to ? value : -1;
    at = back;
    return value;
  }

  private boolean stages(LoggedAccess into) {
    if (!pass('{')) {
      return false;
    }
    into.staged = true;
    if (pass('}')) {
      return true;
    }
    int hint = 0;
    do {
      int start = at + 1;
      if (!string()) {
        return false;
      }
      int stage = LoggedStage.find(bytes, start, at - 1, hint);
      long micros = pass(':') ? digits() : -1;
      if (micros < 0) {
        return false;
      }
      if (stage >= 0) {
        into.stage(stage, Math.min(micros, LineParser.LONGEST_MICROS));
        hint = stage + 1;
      }
    } while (pass(','));
    return pass('}');
  }

  /** Passes a string with its quotes. */
  private boolean string() {
    if (!pass('"')) {
      return false;
    }
    while (at < end && bytes[at] != '"') {
      at += bytes[at] == '\\' ? 2 : 1;
    }
    return pass('"');
  }

  /** Passes any value. */
  private boolean value(int depth) {
    if (at >= end || depth > DEEPEST) {
      return false;
    }
    return switch (bytes[at]) {
      case '"' -> string();
      case '{', '[' -> nested(depth);
      default -> word();
    };
  }

  /** Passes a number, true, false or null. */
  private boolean word() {
    int start = at;
    while (at < end && bytes[at] != ',' && bytes[at] != '}' && bytes[at] != ']') {
      at++;
    }
    return at > start;
  }

  private boolean nested(int depth) {
    boolean object = bytes[at++] == '{';
    char close = object ? '}' : ']';
    if (pass(close)) {
      return true;
    }
    do {
      if (object && !(string() && pass(':'))) {
        return false;
      }
      if (!value(depth + 1)) {
        return false;
      }
    } while (pass(','));
    return pass(close);
  }

  /** A time of RFC 3339 in UTC; -1: none. */
  private long time(int from, int to) {
    int back = at;
    at = from;
    long year = digits();
    long month = pass('-') ? digits() : -1;
    long day = pass('-') ? digits() : -1;
    long hour = pass('T') ? digits() : -1;
    long minute = pass(':') ? digits() : -1;
    long second = pass(':') ? digits() : -1;
    long fraction = pass('.') ? millionths() : 0;
    boolean whole = pass('Z') && at == to;
    at = back;
    if (!whole
        || year < 1970
        || year > 9999
        || month < 1
        || month > 12
        || day < 1
        || day > 31
        || hour < 0
        || minute < 0
        || second < 0) {
      return -1;
    }
    long seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    return seconds * SECOND_MICROS + fraction;
  }

  /**
   * Days since 1970 of a date of the Gregorian calendar: years begin in March, after a leap day.
   */
  private static long days(long year, long month, long day) {
    long shifted = month > 2 ? year : year - 1;
    long dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468;
  }
}
