package io.loligo.server.adapt;

import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.HopByHop;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A message to be adapted, as services read it. Fields of one connection are left out (RFC 3507
 * section 4.4.2). Immutable.
 *
 * @param requestHead the head of the request, with the empty line
 * @param responseHead the head of the response; null: the request is to be adapted
 * @param contentLength bytes of the content, see {@link ContentLength}
 * @param path the path and query of the URL
 * @param icapLines further field lines of the ICAP request
 * @param kept field lines of the request that services do not read, and that stay
 * @param retries how often it is sent again if the last service fails
 */
public record IcapMessage(
    byte[] requestHead,
    byte @Nullable [] responseHead,
    long contentLength,
    String path,
    byte[] icapLines,
    byte[] kept,
    int retries) {

  /**
   * A request.
   *
   * @param url of the request, absolute; of CONNECT: its target
   */
  public static IcapMessage of(
      RequestHead head,
      String url,
      String path,
      long contentLength,
      byte[] icapLines,
      int retries) {
    return new IcapMessage(
        requestHead(head, url), null, contentLength, path, icapLines, kept(head.fields()), retries);
  }

  /**
   * A response to {@code head}.
   *
   * @param url of the request, absolute
   */
  public static IcapMessage of(
      RequestHead head,
      String url,
      String path,
      ResponseHead reply,
      long contentLength,
      byte[] icapLines,
      int retries) {
    FieldLines lines = new FieldLines(reply.end() + 64);
    lines.append("HTTP/1.1 ").append(reply.status()).append(' ').append(reply.reason()).endLine();
    addFields(reply.fields(), lines);
    return new IcapMessage(
        requestHead(head, url),
        lines.endLine().toBytes(),
        contentLength,
        path,
        icapLines,
        new byte[0],
        retries);
  }

  private static byte[] requestHead(RequestHead head, String url) {
    FieldLines lines = new FieldLines(head.end() + url.length() + 32);
    lines.append(head.method()).append(' ').append(url).append(" HTTP/1.1").endLine();
    addFields(head.fields(), lines);
    return lines.endLine().toBytes();
  }

  private static void addFields(Fields fields, FieldLines lines) {
    HopByHop hopByHop = HopByHop.of(fields);
    for (int i = 0; i < fields.count(); i++) {
      if (!hopByHop.drops(fields, i)) {
        lines.add(fields, i);
      }
    }
  }

  /** The client's login, and its wish for another protocol. */
  private static byte[] kept(Fields fields) {
    FieldLines lines = new FieldLines(64);
    for (int i = 0; i < fields.count(); i++) {
      int id = fields.id(i);
      if (id == FieldName.PROXY_AUTHORIZATION || id == FieldName.UPGRADE) {
        lines.add(fields, i);
      }
    }
    if (fields.has(FieldName.UPGRADE)) {
      lines.add("Connection", "Upgrade");
    }
    return lines.toBytes();
  }

  /** Whether the response is to be adapted. */
  boolean isResponse() {
    return responseHead != null;
  }

  boolean hasContent() {
    return ContentLength.hasContent(contentLength);
  }

  /** The most bytes that the heads inside have. */
  int headBytes() {
    return requestHead.length + (responseHead == null ? 0 : responseHead.length);
  }

  /**
   * The head of the ICAP request and the heads inside (RFC 3507 section 4.4.1).
   *
   * @param preview bytes of the preview; -1: none
   * @param allow the value of Allow; empty: none
   */
  byte[] composed(IcapService service, int preview, String allow, boolean persistent) {
    FieldLines lines = new FieldLines(256 + icapLines.length + headBytes());
    lines.append(service.method()).append(' ').append(service.uri()).append(" ICAP/1.0").endLine();
    lines.add("Host", service.authority());
    if (!persistent) {
      lines.add("Connection", "close");
    }
    lines.append("Encapsulated: req-hdr=0, ");
    if (responseHead != null) {
      lines.append("res-hdr=").append((long) requestHead.length).append(", ");
    }
    String body = responseHead == null ? "req-body=" : "res-body=";
    lines.append(hasContent() ? body : "null-body=").append((long) headBytes()).endLine();
    if (preview >= 0) {
      lines.add("Preview", Integer.toString(preview));
    }
    if (!allow.isEmpty()) {
      lines.add("Allow", allow);
    }
    lines.append(icapLines, 0, icapLines.length).endLine();
    lines.append(requestHead, 0, requestHead.length);
    if (responseHead != null) {
      lines.append(responseHead, 0, responseHead.length);
    }
    return lines.toBytes();
  }

  @Override
  public String toString() {
    return new String(requestHead, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("");
  }
}
