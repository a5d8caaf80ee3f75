package io.loligo.server.accesslog;

import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.ExchangeRecord;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * A logformat, compiled: literal text and fields in order. Immutable; any thread.
 *
 * <p>A field is {@code % ["|[|#|/|'] [-] [[0]width[.max]] [{arg}] code [{arg}]}. A field without a
 * quoting mode of its own that is between double quotes or brackets of the format is quoted for
 * them, as in Squid.
 */
public final class LogFormat {
  private static final String SQUID = "%ts.%03tu %6tr %>a %Ss/%03>Hs %<st %rm %ru %[un %Sh/%<a %mt";

  /** The format of {@code loligo_slow_log}, unless its line names another one. */
  static final String SLOW = "loligo_slow";

  private static final Map<String, String> BUILT_IN =
      Map.of(
          "squid",
          SQUID,
          "loligo_stages",
          SQUID + " %stages",
          SLOW,
          "%ts.%03tu %6tr %request_id %>a %Ss/%03>Hs %rm %ru %exchange_class"
              + " %cache_outcome/%cache_reason %Sh/%<a %stages",
          "common",
          "%>a - %[un [%tl] \"%rm %ru HTTP/%rv\" %>Hs %<st %Ss:%Sh",
          "combined",
          "%>a - %[un [%tl] \"%rm %ru HTTP/%rv\" %>Hs %<st"
              + " \"%{Referer}>h\" \"%{User-Agent}>h\" %Ss:%Sh",
          "referrer",
          "%ts.%03tu %>a %{Referer}>h %ru",
          "useragent",
          "%>a [%tl] \"%{User-Agent}>h\"",
          "icap_squid",
          "%ts.%03tu %6icap::tr %>A %icap::to/%03icap::Hs %icap::<st %icap::rm %icap::ru %un"
              + " -/%icap::<A -");

  /** The name of the format that writes JSON. */
  public static final String JSON = "loligo_json";

  private final Piece[] pieces;

  private LogFormat(List<Piece> pieces) {
    this.pieces = pieces.toArray(new Piece[0]);
  }

  /** Part of a line. */
  interface Piece {
    void write(ExchangeRecord record, LogLine line);
  }

  /** The built-in formats by name. */
  public static Map<String, String> builtIn() {
    return BUILT_IN;
  }

  /**
   * Compiles {@code format} for the system's time zone.
   *
   * @throws LogFormatException names the first invalid code and its position
   */
  public static LogFormat compile(String format) {
    // few formats need the zone, and it takes some hundred classes
    return compile(format, ZoneId::systemDefault);
  }

  static LogFormat compile(String format, ZoneId zone) {
    return compile(format, () -> zone);
  }

  private static LogFormat compile(String format, Supplier<ZoneId> zone) {
    return new LogFormat(new LogFormatCompiler(format, zone).compile());
  }

  /**
   * The format {@link #JSON}.
   *
   * @param withHeads {@code log_mime_hdrs}: whether it has both heads
   */
  static LogFormat json(boolean withHeads) {
    return new LogFormat(List.of(new JsonPiece(withHeads)));
  }

  /** Appends the line for {@code record}, without its end. */
  void write(ExchangeRecord record, LogLine line) {
    for (Piece piece : pieces) {
      piece.write(record, line);
    }
  }

  /** The line for {@code record}, without its end, as a new array. */
  public byte[] bytes(ExchangeRecord record) {
    LogLine line = new LogLine(/* stripQuery= */ false);
    write(record, line);
    return Arrays.copyOf(line.bytes(), line.length());
  }

  /** This format followed by both heads, as {@code log_mime_hdrs} requests. */
  LogFormat withHeads() {
    List<Piece> more = new ArrayList<>(List.of(pieces));
    more.add(literal(" ["));
    more.add(new HeadPiece(true));
    more.add(literal("] ["));
    more.add(new HeadPiece(false));
    more.add(literal("]"));
    return new LogFormat(more);
  }

  static Piece literal(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return (record, line) -> line.append(bytes, 0, bytes.length);
  }

  /** One whole head as a MIME blob, empty if there was none. */
  private record HeadPiece(boolean ofRequest) implements Piece {
    private static final FieldText ALL = FieldText.of(null);

    @Override
    public void write(ExchangeRecord record, LogLine line) {
      int start = line.length();
      if (ofRequest) {
        ALL.write(record.request == null ? null : record.request.fields(), line);
      } else if (record.reply != null) {
        writeReply(record.reply, line);
      }
      line.quote(start, Quoting.MIME);
    }

    private static void writeReply(ResponseHead reply, LogLine line) {
      line.append("HTTP/");
      line.appendNumber(reply.version() / 10);
      line.append('.');
      line.appendNumber(reply.version() % 10);
      line.append(' ');
      line.appendNumber(reply.status());
      line.append(' ');
      line.append(reply.reason());
      line.append("\r\n");
      ALL.write(reply.fields(), line);
      line.append("\r\n");
    }
  }
}
