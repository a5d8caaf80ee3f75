package io.loligo.bench.micro;

import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;

/** The head of what an origin answers in benchmarks. Stateless. */
final class SampleAnswer {
  /** Fields but Content-Length, a line each. */
  static final String LINES =
      "Date: Sat, 21 Nov 2026 06:28:38 GMT\r\nContent-Type: text/plain\r\n"
          + "Cache-Control: max-age=31536000\r\nETag: \"1\"\r\nServer: origin\r\n";

  private SampleAnswer() {}

  static ResponseHead head(int contentBytes) {
    byte[] bytes =
        ("HTTP/1.1 200 OK\r\nContent-Length: " + contentBytes + "\r\n" + LINES + "\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    ResponseHead head = new ResponseHead();
    new Http1ResponseParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head);
    return head;
  }
}
