package io.loligo.server.accesslog;

import io.loligo.server.accesslog.LogFormat.Piece;
import io.loligo.server.record.Stage;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Reads one logformat. Used once, by one thread. */
final class LogFormatCompiler {
  private static final String DEFAULT_TIME = "%d/%b/%Y:%H:%M:%S";
  private static final int MAX_WIDTH = LogFormatCodes.MAX_WIDTH;

  private final String format;
  private final Supplier<ZoneId> zone;
  private final List<Piece> pieces = new ArrayList<>();
  private Quoting surrounding = Quoting.PLAIN;
  private int at;

  LogFormatCompiler(String format, Supplier<ZoneId> zone) {
    this.format = format;
    this.zone = zone;
  }

  List<Piece> compile() {
    while (at < format.length()) {
      if (format.charAt(at) != '%') {
        literal();
      } else if (format.startsWith("%%", at)) {
        pieces.add(LogFormat.literal("%"));
        at += 2;
      } else {
        field();
      }
    }
    return pieces;
  }

  private void literal() {
    int start = at;
    while (at < format.length() && format.charAt(at) != '%') {
      follow(format.charAt(at++));
    }
    pieces.add(LogFormat.literal(format.substring(start, at)));
  }

  private void follow(char c) {
    if (c == '"' && surrounding != Quoting.MIME) {
      surrounding = surrounding == Quoting.QUOTED ? Quoting.PLAIN : Quoting.QUOTED;
    } else if (c == '[' && surrounding == Quoting.PLAIN) {
      surrounding = Quoting.MIME;
    } else if (c == ']' && surrounding == Quoting.MIME) {
      surrounding = Quoting.PLAIN;
    }
  }

  private void field() {
    final int start = at++;
    Quoting quoting = quoting();
    final boolean left = accept('-');
    final boolean zero = accept('0');
    final int width = number(start, 0);
    final int max = accept('.') ? number(start, -1) : -1;
    String argument = argument(start);
    if (format.startsWith(LogCode.NAMESPACE, at)) {
      at += LogCode.NAMESPACE.length();
    }
    LogCode code = LogCode.at(format, at);
    if (code == null) {
      throw unknown(start);
    }
    at += code.spelling().length();
    if (argument == null && code.kind().takesArgument()) {
      argument = argument(start);
    }
    if (quoting == null) {
      quoting = surrounding;
    }
    if (quoting == Quoting.PLAIN && isUntrusted(code)) {
      quoting = Quoting.UNSAFE;
    }
    pieces.add(
        new FieldPiece(
            code.kind(),
            source(code, argument, max, start),
            quoting,
            left,
            zero && code.kind().numeric(),
            width,
            code.kind().numeric() ? -1 : max));
  }

  private static boolean isUntrusted(LogCode code) {
    return switch (code.kind()) {
      case UNTRUSTED,
          REQUEST_FIELD,
          REPLY_FIELD,
          PROXY_FIELD,
          NOTE,
          ICAP_REQUEST_FIELD,
          ICAP_REPLY_FIELD,
          ADAPTATION_FIELD ->
          true;
      default -> false;
    };
  }

  private LogCode.Source source(LogCode code, @Nullable String argument, int max, int start) {
    return switch (code.kind()) {
      case LOCAL_TIME -> time(argument, DEFAULT_TIME + " %z", zone.get());
      case GMT_TIME -> time(argument, DEFAULT_TIME, ZoneOffset.UTC);
      case MILLIS -> max < 0 ? code.source() : new MillisSource(code.source(), max);
      case SUBSECOND -> max <= 0 ? code.source() : subsecond(max);
      case REQUEST_FIELD -> requestField(FieldText.of(argument));
      case REPLY_FIELD -> replyField(FieldText.of(argument));
      case PROXY_FIELD -> proxyField(FieldText.of(argument));
      case NOTE -> note(argument);
      case STAGE -> stage(argument, start);
      case ICAP_REQUEST_FIELD -> IcapText.requestField(FieldText.of(argument));
      case ICAP_REPLY_FIELD -> IcapText.replyField(FieldText.of(argument));
      case ADAPTATION_FIELD -> IcapText.lastField(FieldText.of(argument));
      case ADAPTATION_TIMES -> IcapText.times(argument, /* summed= */ false);
      case ADAPTATION_SUMS -> IcapText.times(argument, /* summed= */ true);
      case FAULTS -> faults(argument);
      case SEQUENCE -> new SequenceSource();
      case BYTE -> fixedByte(argument, start);
      default -> code.source();
    };
  }

  private static FormattedTime time(@Nullable String argument, String usual, ZoneId zone) {
    return new FormattedTime(new TimePattern(argument == null ? usual : argument, zone));
  }

  private static LogCode.Source requestField(FieldText field) {
    return (record, line) ->
        field.write(record.request == null ? null : record.request.fields(), line);
  }

  private static LogCode.Source replyField(FieldText field) {
    return (record, line) -> field.write(record.reply == null ? null : record.reply.fields(), line);
  }

  private static LogCode.Source proxyField(FieldText field) {
    return (record, line) -> field.write(record.proxyHeader, line);
  }

  /** Reads {@code name:separator}. */
  private static LogCode.Source note(@Nullable String argument) {
    int colon = argument == null ? -1 : argument.indexOf(':');
    if (argument == null || colon < 0) {
      return (record, line) -> RecordText.note(record, argument, ",", line);
    }
    String key = argument.substring(0, colon);
    String separator = argument.substring(colon + 1);
    return (record, line) -> RecordText.note(record, key, separator, line);
  }

  private LogCode.Source stage(@Nullable String argument, int start) {
    Stage stage = argument == null ? null : StageText.named(argument);
    if (stage == null) {
      throw new LogFormatException(
          "%stage needs a name: " + argument + " (expected: one of " + StageText.names() + ")",
          format.substring(start, at),
          start + 1);
    }
    return (record, line) -> StageText.write(record, stage, line);
  }

  private static LogCode.Source faults(@Nullable String argument) {
    String separator = argument == null ? ":" : argument;
    return (record, line) -> RecordText.serverCertificateErrors(record, separator, line);
  }

  /** Squid's reading of {@code %.Ntu}: the first N digits of the microseconds, not padded. */
  private static LogCode.Source subsecond(int digits) {
    long divisor = 1_000_000;
    for (int i = 0; i < Math.min(digits, 6); i++) {
      divisor /= 10;
    }
    long microsPerUnit = divisor;
    return (record, line) ->
        line.appendNumber(record.endMillis % 1000 * 1000 / Math.max(1, microsPerUnit));
  }

  private LogCode.Source fixedByte(@Nullable String argument, int start) {
    int value = argument == null ? -1 : digits(argument);
    if (value < 1 || value > 255) {
      throw new LogFormatException(
          "%byte needs a decimal number: " + argument + " (expected: {1} to {255})",
          format.substring(start, at),
          start + 1);
    }
    return (record, line) -> line.append(value);
  }

  private @Nullable Quoting quoting() {
    Quoting quoting =
        switch (peek()) {
          case '"' -> Quoting.QUOTED;
          case '[' -> Quoting.MIME;
          case '#' -> Quoting.URL;
          case '/' -> Quoting.SHELL;
          case '\'' -> Quoting.RAW;
          default -> null;
        };
    if (quoting != null) {
      at++;
    }
    return quoting;
  }

  private int number(int start, int absent) {
    int first = at;
    while (Character.digit(peek(), 10) >= 0) {
      at++;
    }
    if (first == at) {
      return absent;
    }
    int number = digits(format.substring(first, at));
    if (number < 0 || number > MAX_WIDTH) {
      throw new LogFormatException(
          "width "
              + format.substring(first, at)
              + " of a logformat field is too large (expected: at most "
              + MAX_WIDTH
              + ")",
          format.substring(start, at),
          start + 1);
    }
    return number;
  }

  private static int digits(String text) {
    if (text.isEmpty() || text.length() > 6) {
      return -1;
    }
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return -1;
      }
    }
    return Integer.parseInt(text);
  }

  private @Nullable String argument(int start) {
    if (peek() != '{') {
      return null;
    }
    int end = format.indexOf('}', at);
    if (end < 0) {
      throw new LogFormatException(
          "logformat argument without closing brace: " + format.substring(at),
          format.substring(start),
          start + 1);
    }
    String argument = format.substring(at + 1, end);
    at = end + 1;
    return argument;
  }

  private LogFormatException unknown(int start) {
    int end = at;
    while (end < format.length() && " \t\"[]%".indexOf(format.charAt(end)) < 0) {
      end++;
    }
    String code = format.substring(start, end);
    return new LogFormatException("unknown logformat code " + code, code, start + 1);
  }

  private boolean accept(char c) {
    boolean here = peek() == c;
    if (here) {
      at++;
    }
    return here;
  }

  private char peek() {
    return at < format.length() ? format.charAt(at) : '\0';
  }
}
