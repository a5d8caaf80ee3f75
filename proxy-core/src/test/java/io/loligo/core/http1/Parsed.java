package io.loligo.core.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The result of parsing some bytes, as text; equal for equal outcomes.
 *
 * @param outcome COMPLETE, FAILED or NEED_MORE
 * @param line the start line's parts
 * @param fields {@code id|name|value} each
 * @param end offset after the head, or -1
 * @param failure why, or null
 * @param failureOffset offending byte, or -1
 * @param looks bytes scanned over all calls
 */
record Parsed(
    String outcome,
    String line,
    List<String> fields,
    int end,
    ParseFailure failure,
    int failureOffset,
    int looks) {

  /** Parses {@code bytes}, cut at each of {@code cuts}. */
  interface Parse {
    Parsed of(byte[] bytes, ParseLimits limits, int... cuts);
  }

  /** Whole, byte by byte and cut at every position: the outcome must be one and the same. */
  static Parsed anyCut(Parse parse, String text, ParseLimits limits) {
    byte[] bytes = bytes(text);
    Parsed whole = parse.of(bytes, limits);
    Parsed single = parse.of(bytes, limits, everyByte(bytes.length));
    assertThat(single).matches(whole::sameAs, "byte by byte like " + whole);
    assertThat(single.looks()).isLessThanOrEqualTo(bytes.length);
    for (int cut = 0; cut <= bytes.length; cut++) {
      Parsed parts = parse.of(bytes, limits, cut);
      assertThat(parts).matches(whole::sameAs, "cut at " + cut + " like " + whole);
    }
    return whole;
  }

  static byte[] bytes(String latin1) {
    return latin1.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Cuts at each of {@code cuts}, ascending; every call sees an array of its own. */
  static Parsed request(byte[] bytes, ParseLimits limits, int... cuts) {
    Http1RequestParser parser = new Http1RequestParser(limits);
    parser.reset();
    RequestHead head = new RequestHead();
    Http1RequestParser.Result result = Http1RequestParser.Result.NEED_MORE;
    int looks = 0;
    for (int i = 0; i <= cuts.length && result == Http1RequestParser.Result.NEED_MORE; i++) {
      int length = i < cuts.length ? cuts[i] : bytes.length;
      int before = parser.position();
      result = parser.parse(Arrays.copyOf(bytes, length), length, head);
      looks += Math.max(0, parser.position() - before);
    }
    boolean complete = result == Http1RequestParser.Result.COMPLETE;
    boolean failed = result == Http1RequestParser.Result.FAILED;
    return new Parsed(
        result.name(),
        complete ? head.method() + "|" + head.target() + "|" + head.version() : "",
        complete ? list(head.fields()) : List.of(),
        complete ? head.end() : -1,
        parser.failure(),
        failed ? parser.failureOffset() : -1,
        looks);
  }

  /** Cuts at each of {@code cuts}, ascending; every call sees an array of its own. */
  static Parsed response(byte[] bytes, ParseLimits limits, int... cuts) {
    Http1ResponseParser parser = new Http1ResponseParser(limits);
    parser.reset();
    ResponseHead head = new ResponseHead();
    Http1ResponseParser.Result result = Http1ResponseParser.Result.NEED_MORE;
    int looks = 0;
    for (int i = 0; i <= cuts.length && result == Http1ResponseParser.Result.NEED_MORE; i++) {
      int length = i < cuts.length ? cuts[i] : bytes.length;
      int before = parser.position();
      result = parser.parse(Arrays.copyOf(bytes, length), length, head);
      looks += Math.max(0, parser.position() - before);
    }
    boolean complete = result == Http1ResponseParser.Result.COMPLETE;
    boolean failed = result == Http1ResponseParser.Result.FAILED;
    return new Parsed(
        result.name(),
        complete ? head.version() + "|" + head.status() + "|" + head.reason() : "",
        complete ? list(head.fields()) : List.of(),
        complete ? head.end() : -1,
        parser.failure(),
        failed ? parser.failureOffset() : -1,
        looks);
  }

  static List<String> list(Fields fields) {
    List<String> all = new ArrayList<>();
    for (int i = 0; i < fields.count(); i++) {
      all.add(fields.id(i) + "|" + fields.name(i) + "|" + fields.value(i));
    }
    return all;
  }

  /** 1, 2, 3 and so on below {@code length}. */
  static int[] everyByte(int length) {
    int[] cuts = new int[Math.max(0, length - 1)];
    for (int i = 0; i < cuts.length; i++) {
      cuts[i] = i + 1;
    }
    return cuts;
  }

  /** The same except for the count of looks. */
  boolean sameAs(Parsed other) {
    return outcome.equals(other.outcome)
        && line.equals(other.line)
        && fields.equals(other.fields)
        && end == other.end
        && failure == other.failure
        && failureOffset == other.failureOffset;
  }
}
