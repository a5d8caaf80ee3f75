package io.loligo.core.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.ResponseHead;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The fuzz target: any fields, and any field block, are refused or become a head that the parser of
 * HTTP/1 reads alike. A composer that was used before decides as a new one does.
 */
final class ResponseFuzz {
  /** Ends a field. */
  static final char FIELD_END = '\u00ff';

  /** Ends a name. */
  static final char NAME_END = '\u00fe';

  private static final ParseLimits SMALL = new ParseLimits(120, 24, 4, 12, 40);

  private ResponseFuzz() {}

  /** One input: fields with the characters above, and the same bytes as a field block. */
  static void test(byte[] bytes) {
    for (ParseLimits limits : new ParseLimits[] {ParseLimits.DEFAULT, SMALL}) {
      ResponseComposer used = new ResponseComposer();
      used.begin(limits);
      new HpackDecoder(256, new HpackDecoder.Room()).decode(bytes, 0, bytes.length, used);
      check(used, used.finish(), limits);
      used.begin(limits);
      String[] fields = fields(new String(bytes, ISO_8859_1));
      Decoded.give(used, fields);
      ParseFailure failure = used.finish();
      check(used, failure, limits);
      ResponseComposer fresh = new ResponseComposer();
      fresh.begin(limits);
      Decoded.give(fresh, fields);
      require(failure == fresh.finish(), "another verdict: " + failure);
      require(failure != null || Arrays.equals(bytes(used), bytes(fresh)), "other bytes");
    }
  }

  private static String[] fields(String text) {
    List<String> fields = new ArrayList<>();
    for (String field : text.split(String.valueOf(FIELD_END), -1)) {
      int end = field.indexOf(NAME_END);
      fields.add(end < 0 ? field : field.substring(0, end));
      fields.add(end < 0 ? "" : field.substring(end + 1));
    }
    return fields.toArray(String[]::new);
  }

  private static byte[] bytes(ResponseComposer composer) {
    return Arrays.copyOf(composer.head().bytes(), composer.head().end());
  }

  private static void check(ResponseComposer composer, ParseFailure failure, ParseLimits limits) {
    if (failure != null) {
      return;
    }
    ResponseHead head = composer.head();
    String text = new String(bytes(composer), ISO_8859_1);
    require(text.startsWith("HTTP/2.0 "), "version");
    require(text.length() <= limits.maxHeadBytes() + "HTTP/2.0 200 \r\n\r\n".length(), "length");
    byte[] asHttp1 = ("HTTP/1.1" + text.substring(8)).getBytes(ISO_8859_1);
    ResponseHead parsed = new ResponseHead();
    Http1ResponseParser parser = new Http1ResponseParser(ParseLimits.DEFAULT);
    require(
        parser.parse(asHttp1, asHttp1.length, parsed) == Http1ResponseParser.Result.COMPLETE,
        "not of HTTP/1");
    require(parsed.end() == asHttp1.length, "end");
    require(parsed.status() == head.status() && head.status() != 101, "status");
    sameFields(head.fields(), parsed.fields());
    require(head.fields().count() <= limits.maxFields(), "number of fields");
  }

  private static void sameFields(Fields fields, Fields parsed) {
    require(fields.count() == parsed.count(), "other number of fields");
    for (int i = 0; i < fields.count(); i++) {
      require(fields.id(i) == parsed.id(i), "id");
      require(fields.name(i).equals(parsed.name(i)), "name");
      require(fields.value(i).equals(parsed.value(i)), "value");
      require(fields.name(i).chars().noneMatch(c -> c >= 'A' && c <= 'Z'), "upper case");
      require(!HpackEncoder.OF_CONNECTION.has(fields.id(i)), "field of a connection");
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }
}
