package io.loligo.server.record;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** Records of exchanges as they end, made from the bytes on the wire. */
public final class SampleRecord {
  private SampleRecord() {}

  /** A miss fetched directly: 2026-11-21 05:35:03.229 UTC, 1 ms, 200, 311 bytes of text/html. */
  public static ExchangeRecord of(String requestLine, String... fields) {
    ExchangeRecord record = new ExchangeRecord();
    record.request = request(requestLine, fields);
    RequestTarget target = new RequestTarget();
    assertThat(target.resolve(record.request, "http", null, true)).isNull();
    record.target = target;
    record.method = record.request.method();
    record.clientBytesIn = record.request.end();
    common(record);
    record.status = 200;
    record.tag = LogTag.TCP_MISS;
    record.hitClass = HitClass.MISS;
    record.hierarchy = HierarchyCode.HIER_DIRECT;
    record.nextHop = "192.0.2.7";
    record.nextHopPort = 8080;
    record.clientBytesOut = 311;
    record.clientHeadBytesOut = 306;
    record.serverBytesIn = 300;
    record.serverBytesOut = 150;
    record.serverContentBytesIn = 5;
    record.serverStatus = 200;
    record.contentType = "text/html; charset=utf-8";
    record.stage(Stage.TOTAL, 1_900_000);
    return record;
  }

  /** A connection that ended before a request was read. */
  public static ExchangeRecord withoutRequest() {
    ExchangeRecord record = new ExchangeRecord();
    common(record);
    record.method = ExchangeRecord.NO_METHOD;
    return record;
  }

  private static void common(ExchangeRecord record) {
    record.endMillis = 1_795_239_303_229L;
    record.startMillis = 1_795_239_303_227L;
    record.client = new InetSocketAddress(loopback(), 32_810);
    record.clientText = "127.0.0.1";
    record.local = new InetSocketAddress(loopback(), 3128);
  }

  private static InetAddress loopback() {
    try {
      return InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
    } catch (UnknownHostException e) {
      throw new AssertionError(e);
    }
  }

  private static RequestHead request(String requestLine, String... fields) {
    byte[] bytes =
        (requestLine + "\r\n" + String.join("\r\n", fields) + (fields.length == 0 ? "" : "\r\n"))
            .concat("\r\n")
            .getBytes(ISO_8859_1);
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    return head;
  }

  /** A response's head. */
  public static ResponseHead reply(String statusLine, String... fields) {
    byte[] bytes =
        (statusLine + "\r\n" + String.join("\r\n", fields) + "\r\n\r\n").getBytes(ISO_8859_1);
    ResponseHead head = new ResponseHead();
    assertThat(new Http1ResponseParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .isEqualTo(Http1ResponseParser.Result.COMPLETE);
    return head;
  }
}
