package io.loligo.server.explain;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.http1.Framing;
import io.loligo.core.http1.Http1RequestParser;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.netty.buffer.ByteBufUtil;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link Question} as the request it describes: written as HTTP/1.1 and parsed like a
 * client's. Confined to one thread.
 */
public final class QuestionReader {
  private final Http1RequestParser parser;
  private long contentLength = ContentLength.NONE;
  private @Nullable ParseFailure failure;

  /** Reads within the limits of {@code config}. For one question. */
  public QuestionReader(ProxyConfig config) {
    this.parser = new Http1RequestParser(ParseLimits.ofRequests(config));
  }

  /** Fills {@code head}; whether {@code question} is a request. */
  public boolean read(Question question, RequestHead head) {
    byte[] bytes = text(question).getBytes(StandardCharsets.ISO_8859_1);
    Http1RequestParser.Result result = parser.parse(bytes, bytes.length, head);
    if (result != Http1RequestParser.Result.COMPLETE || head.end() != bytes.length) {
      failure = result == Http1RequestParser.Result.FAILED ? parser.failure() : null;
      return false;
    }
    Framing framing = MessageFraming.of(head);
    failure = framing.failure();
    contentLength = framing.contentLength();
    return failure == null;
  }

  /** Why it is not a request; null: no rule of the syntax says it. */
  public @Nullable ParseFailure failure() {
    return failure;
  }

  /** Bytes of its content, see {@link ContentLength}. */
  public long contentLength() {
    return contentLength;
  }

  private static String text(Question question) {
    String url = withoutFragment(question.url());
    StringBuilder text = new StringBuilder(256);
    text.append(question.method()).append(' ').append(url).append(" HTTP/1.1\r\n");
    boolean named = false;
    boolean counted = question.content().isEmpty();
    for (String line : question.fieldLines()) {
      named |= line.regionMatches(true, 0, "Host:", 0, 5);
      counted |= line.regionMatches(true, 0, "Content-Length:", 0, 15);
      text.append(line).append("\r\n");
    }
    if (!named) {
      text.append("Host: ").append(authority(url)).append("\r\n");
    }
    if (!counted) {
      text.append("Content-Length: ")
          .append(ByteBufUtil.utf8Bytes(question.content()))
          .append("\r\n");
    }
    return text.append("\r\n").toString();
  }

  private static String withoutFragment(String url) {
    int hash = url.indexOf('#');
    return hash < 0 ? url : url.substring(0, hash);
  }

  private static String authority(String url) {
    int start = url.indexOf("://");
    start = start < 0 ? 0 : start + 3;
    int end = start;
    while (end < url.length() && "/?".indexOf(url.charAt(end)) < 0) {
      end++;
    }
    return url.substring(Math.max(start, url.lastIndexOf('@', end) + 1), end);
  }
}
