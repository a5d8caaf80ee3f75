package io.loligo.server.accesslog;

import io.loligo.core.acl.Notes;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.accesslog.LogCode.Source;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.Protocol;
import io.loligo.server.record.Stage;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The format {@code loligo_json}: one JSON object (RFC 8259) for each exchange, with the members of
 * docs/watching.md in their order. A fact that is missing is null; {@code icap} is left out.
 * Immutable; any thread.
 *
 * <p>Texts are valid UTF-8: a byte that is no part of a character stands for the character of the
 * same number. A text that is too long is cut, and the member {@code cut} is then true.
 */
final class JsonPiece implements LogFormat.Piece {
  /** The most bytes of a URL. */
  static final int MOST_URL_BYTES = 8192;

  /** The most bytes of another text. */
  static final int MOST_TEXT_BYTES = 1024;

  /** The most bytes of a head. */
  static final int MOST_HEAD_BYTES = 16 << 10;

  /** The most exchanges with services about a request, and about its response. */
  static final int MOST_SERVICES = 16;

  private static final long NANOS_PER_MICRO = 1000;
  private static final Stage[] STAGES = Stage.values();
  private static final FieldText WHOLE = FieldText.of(null);

  /** One member, or several; returns whether a text was cut. */
  private interface Member {
    boolean write(ExchangeRecord record, LogLine line);
  }

  private final Member[] members;

  /**
   * The members.
   *
   * @param withHeads {@code log_mime_hdrs}: whether both heads are among them
   */
  JsonPiece(boolean withHeads) {
    List<Member> all = new ArrayList<>();
    all.add(time());
    all.add(number("micros", JsonPiece::micros));
    all.add(text("client", RecordText::client));
    all.add(numberOrNull("clientPort", (r, line) -> RecordText.port(r.client, line)));
    all.add(text("user", RecordText::anyUser));
    all.add(text("local", (r, line) -> RecordText.address(r.local, line)));
    all.add(numberOrNull("localPort", (r, line) -> RecordText.port(r.local, line)));
    all.add(text("port", (r, line) -> RecordText.text(r.portName, line)));
    all.add(text("method", JsonPiece::method));
    all.add(text("url", (r, line) -> RecordText.url(r, line.stripQuery(), line), MOST_URL_BYTES));
    all.add(text("version", JsonPiece::version));
    all.add(text("referer", field("Referer")));
    all.add(text("userAgent", field("User-Agent")));
    all.add(numberOrNull("status", (r, line) -> RecordText.positive(r.status, line)));
    all.add(text("contentType", RecordText::mediaType));
    all.add(number("bytesIn", r -> r.clientBytesIn));
    all.add(number("bytesOut", r -> r.clientBytesOut));
    all.add(number("headBytesOut", r -> r.clientHeadBytesOut));
    all.add(text("result", ResultCode::write));
    all.add(flag("hit", r -> r.hitClass.hit()));
    all.add(flag("fromDisk", r -> r.fromDisk));
    all.add(flag("collapsed", r -> r.collapsed));
    all.add(flag("aborted", r -> r.aborted));
    all.add(flag("timedOut", r -> r.timedOut));
    all.add(text("outcome", RecordText::outcome));
    all.add(text("reason", RecordText::reason));
    all.add(numberOrNull("age", JsonPiece::age));
    all.add(text("notStored", (r, line) -> RecordText.text(r.refusal, line)));
    all.add(text("hierarchy", (r, line) -> line.append(r.hierarchyText())));
    all.add(text("hop", (r, line) -> RecordText.text(r.nextHop, line)));
    all.add(numberOrNull("hopPort", (r, line) -> RecordText.positive(r.nextHopPort, line)));
    all.add(numberOrNull("originStatus", (r, line) -> RecordText.positive(r.serverStatus, line)));
    all.add(number("attempts", r -> r.attempts));
    all.add(number("originBytesIn", r -> r.serverBytesIn));
    all.add(number("originBytesOut", r -> r.serverBytesOut));
    all.add(text("error", (r, line) -> RecordText.text(r.errorCode, line)));
    all.add(text("errorDetail", (r, line) -> RecordText.text(r.errorDetail, line)));
    all.add(text("tls", RecordText::tlsVersion));
    all.add(text("serverName", RecordText::serverName));
    all.add(text("bumpMode", RecordText::bumpMode));
    all.add(text("originTls", RecordText::serverTlsVersion));
    all.add(text("sentUrl", JsonPiece::sentUrl, MOST_URL_BYTES));
    all.add(text("storeId", JsonPiece::storeId, MOST_URL_BYTES));
    all.add(text("tag", RecordText::tag));
    all.add(JsonPiece::notes);
    all.add(JsonPiece::stages);
    all.add(text("class", RecordText::exchangeClass));
    all.add(text("protocol", (r, line) -> line.append(Protocol.of(r).text())));
    all.add(text("requestId", RecordText::requestId));
    all.add(text("fetchRequestId", RecordText::fetchRequestId));
    all.add(text("rule", (r, line) -> line.append(r.rule == null ? "" : r.rule.rule())));
    all.add(text("ruleSource", (r, line) -> line.append(r.rule == null ? "" : r.rule.source())));
    if (withHeads) {
      all.add(text("requestHead", JsonPiece::requestHead, MOST_HEAD_BYTES));
      all.add(text("responseHead", JsonPiece::responseHead, MOST_HEAD_BYTES));
    }
    members = all.toArray(new Member[0]);
  }

  @Override
  public void write(ExchangeRecord record, LogLine line) {
    line.append('{');
    boolean cut = false;
    for (Member member : members) {
      cut |= member.write(record, line);
      line.append(',');
    }
    cut |= services(record, line);
    line.append(cut ? "\"cut\":true}" : "\"cut\":false}");
  }

  // ---- kinds of members

  /** RFC 3339, in milliseconds. */
  private static Member time() {
    FormattedTime second = new FormattedTime(new TimePattern("%Y-%m-%dT%H:%M:%S", ZoneOffset.UTC));
    return (record, line) -> {
      line.append("\"time\":\"");
      second.write(record, line);
      line.append('.');
      line.appendNumber(Math.floorMod(record.endMillis, 1000L), 3);
      line.append("Z\"");
      return false;
    };
  }

  private static Member number(String name, ToLongFunction<ExchangeRecord> value) {
    String start = start(name);
    return (record, line) -> {
      line.append(start);
      line.appendNumber(value.applyAsLong(record));
      return false;
    };
  }

  private static Member numberOrNull(String name, Source value) {
    String start = start(name);
    return (record, line) -> {
      line.append(start);
      int at = line.length();
      value.write(record, line);
      if (line.length() == at) {
        line.append("null");
      }
      return false;
    };
  }

  private static Member flag(String name, Predicate<ExchangeRecord> value) {
    String yes = start(name) + true;
    String no = start(name) + false;
    return (record, line) -> {
      line.append(value.test(record) ? yes : no);
      return false;
    };
  }

  private static Member text(String name, Source value) {
    return text(name, value, MOST_TEXT_BYTES);
  }

  private static Member text(String name, Source value, int mostBytes) {
    String start = start(name);
    return (record, line) -> {
      line.append(start);
      return writeText(record, value, mostBytes, line);
    };
  }

  private static boolean writeText(
      ExchangeRecord record, Source value, int mostBytes, LogLine line) {
    int quote = line.length();
    line.append('"');
    value.write(record, line);
    int length = line.length() - quote - 1;
    if (length == 0) {
      line.truncate(quote);
      line.append("null");
      return false;
    }
    line.truncate(quote + 1 + mostBytes);
    line.quote(quote + 1, Quoting.JSON);
    line.append('"');
    return length > mostBytes;
  }

  private static String start(String name) {
    return '"' + name + "\":";
  }

  // ---- values

  private static long micros(ExchangeRecord record) {
    long total = record.stage(Stage.TOTAL);
    return total >= 0 ? total / NANOS_PER_MICRO : RecordText.elapsedMillis(record) * 1000;
  }

  private static void method(ExchangeRecord record, LogLine line) {
    if (record.request != null) {
      RecordText.text(record.method, line);
    }
  }

  private static void version(ExchangeRecord record, LogLine line) {
    if (record.request != null) {
      RecordText.version(record, line);
    }
  }

  private static Source field(String name) {
    FieldText field = FieldText.of(name);
    return (record, line) ->
        field.write(record.request == null ? null : record.request.fields(), line);
  }

  private static void age(ExchangeRecord record, LogLine line) {
    if (record.decision != null && record.decision.ageSeconds() >= 0) {
      line.appendNumber(record.decision.ageSeconds());
    }
  }

  private static void sentUrl(ExchangeRecord record, LogLine line) {
    if (record.rewritten != null) {
      RecordText.sentUrl(record, line.stripQuery(), line);
    }
  }

  private static void storeId(ExchangeRecord record, LogLine line) {
    RecordText.storeId(record, line.stripQuery(), line);
  }

  private static boolean notes(ExchangeRecord record, LogLine line) {
    line.append("\"notes\":{");
    boolean cut = false;
    Notes notes = record.notes;
    if (notes != null) {
      Set<String> names = new HashSet<>();
      for (Notes.Note note : notes.all()) {
        if (names.add(note.name())) {
          line.append(names.size() == 1 ? "" : ",");
          cut |= writeText(record, (r, to) -> to.append(note.name()), MOST_TEXT_BYTES, line);
          line.append(':');
          String given = notes.values(note.name());
          String values = given == null ? "" : given;
          if (values.isEmpty()) {
            line.append("\"\"");
          } else {
            cut |= writeText(record, (r, to) -> to.append(values), MOST_TEXT_BYTES, line);
          }
        }
      }
    }
    line.append('}');
    return cut;
  }

  /** Those that occurred, in microseconds. */
  private static boolean stages(ExchangeRecord record, LogLine line) {
    line.append("\"stages\":{");
    boolean follows = false;
    for (Stage stage : STAGES) {
      if (record.stage(stage) >= 0 && stage != Stage.TOTAL) {
        line.append(follows ? ",\"" : "\"");
        line.append(stage.text());
        line.append("\":");
        StageText.write(record, stage, line);
        follows = true;
      }
    }
    line.append('}');
    return false;
  }

  /** The exchanges with ICAP services, with a comma; nothing if there were none. */
  private static boolean services(ExchangeRecord record, LogLine line) {
    List<IcapTransaction> ofRequest =
        record.icap != null ? List.of(record.icap) : orNone(record.requestAdaptations);
    List<IcapTransaction> ofResponse =
        record.icap != null ? List.of() : orNone(record.responseAdaptations);
    if (ofRequest.isEmpty() && ofResponse.isEmpty()) {
      return false;
    }
    line.append("\"icap\":[");
    boolean cut = false;
    int written = 0;
    for (List<IcapTransaction> some : List.of(ofRequest, ofResponse)) {
      for (IcapTransaction one : some.subList(0, Math.min(MOST_SERVICES, some.size()))) {
        line.append(written++ == 0 ? "" : ",");
        cut |= service(record, one, line);
      }
      cut |= some.size() > MOST_SERVICES;
    }
    line.append("],");
    return cut;
  }

  private static List<IcapTransaction> orNone(@Nullable List<IcapTransaction> some) {
    return some == null ? List.of() : some;
  }

  private static boolean service(ExchangeRecord record, IcapTransaction one, LogLine line) {
    line.append("{\"service\":");
    boolean cut = writeText(record, (r, to) -> to.append(one.service()), MOST_TEXT_BYTES, line);
    line.append(",\"method\":\"");
    line.append(one.method());
    line.append("\",\"outcome\":\"");
    line.append(one.outcome().name());
    line.append("\",\"status\":");
    orNull(one.status() == 0 ? -1 : one.status(), line);
    line.append(",\"micros\":");
    line.appendNumber(one.totalNanos() / NANOS_PER_MICRO);
    line.append(",\"answerMicros\":");
    orNull(one.answerNanos() < 0 ? -1 : one.answerNanos() / NANOS_PER_MICRO, line);
    line.append(",\"bytesOut\":");
    line.appendNumber(one.sentBytes());
    line.append(",\"bytesIn\":");
    line.appendNumber(one.receivedBytes());
    line.append('}');
    return cut;
  }

  private static void orNull(long number, LogLine line) {
    if (number < 0) {
      line.append("null");
    } else {
      line.appendNumber(number);
    }
  }

  private static void requestHead(ExchangeRecord record, LogLine line) {
    Fields fields = record.request == null ? null : record.request.fields();
    WHOLE.write(fields, line);
  }

  private static void responseHead(ExchangeRecord record, LogLine line) {
    ResponseHead reply = record.reply;
    if (reply != null) {
      WHOLE.write(reply.fields(), line);
    }
  }
}
