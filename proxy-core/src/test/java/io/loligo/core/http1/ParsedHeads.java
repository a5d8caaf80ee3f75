package io.loligo.core.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;

/** Heads made from text; {@code \n} stands for CRLF, the empty line at the end is added. */
public final class ParsedHeads {
  private ParsedHeads() {}

  /** The head of a request that must be well-formed. */
  public static RequestHead request(String text) {
    byte[] bytes = Parsed.bytes(text.replace("\n", "\r\n") + "\r\n\r\n");
    RequestHead head = new RequestHead();
    assertThat(new Http1RequestParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .as(text)
        .isEqualTo(Http1RequestParser.Result.COMPLETE);
    return head;
  }

  /** The head of a response that must be well-formed. */
  public static ResponseHead response(String text) {
    byte[] bytes = Parsed.bytes(text.replace("\n", "\r\n") + "\r\n\r\n");
    ResponseHead head = new ResponseHead();
    assertThat(new Http1ResponseParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head))
        .as(text)
        .isEqualTo(Http1ResponseParser.Result.COMPLETE);
    return head;
  }
}
