package io.loligo.server.upstream.own;

import io.loligo.core.http1.Framing;
import io.loligo.core.http1.Http1ResponseParser;
import io.loligo.core.http1.MessageFraming;
import io.loligo.core.http1.ParseLimits;
import io.loligo.core.message.Fields;
import io.loligo.core.message.Method;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.OriginEvents;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.OutgoingConnect;
import io.loligo.server.upstream.OutgoingRequest;
import io.loligo.server.upstream.Upstream;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Answers requests for objects of the proxy itself, without an origin: pictures, which Squid has
 * under the same path and which allow a measurement of hits without an origin, the digest of the
 * stored responses, and what a node of a cluster asks itself for before it owns keys. All other
 * requests go to the next upstream. One per event loop; confined to it.
 *
 * <p>They are stored under an invalid host ({@code .invalid}, RFC 6761 section 6.4): no value of
 * Host lets them answer for another origin.
 */
public final class OwnObjects implements Upstream {
  /** Stands for this process in their keys. */
  public static final String HOST = "loligo.invalid";

  /** The destination of requests for them. */
  public static final List<Hop> HOPS = List.of(new Hop.Direct(HOST, 80, HierarchyCode.HIER_NONE));

  /** The destination of what this node asks itself for. Clients get none of it. */
  public static final List<Hop> OWN_REQUEST_HOPS =
      List.of(new Hop.Direct(HOST, 80, HierarchyCode.HIER_NONE));

  private static final byte[] FOLDER =
      "/squid-internal-static/icons/".getBytes(StandardCharsets.US_ASCII);
  private static final String DIGEST = "/squid-internal-periodic/store_digest";
  private static final byte[] DIGEST_BYTES = DIGEST.getBytes(StandardCharsets.US_ASCII);

  /** Begins the paths of what a node of the cluster asks itself for; the rest is a length. */
  public static final String OWN_REQUEST = "/loligo-own-request/";

  private static final int MAX_OWN_REQUEST_BYTES = 64 << 10;

  private static final Map<String, byte[]> ANSWERS = answers("SN.png", "SN-4k.png");
  private static final byte[] NOT_FOUND =
      bytes("HTTP/1.1 404 Not Found\r\nCache-Control: no-store\r\nContent-Length: 0\r\n\r\n");
  private static final byte[] NOT_ALLOWED =
      bytes("HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Length: 0\r\n\r\n");

  private final Upstream others;
  private final OwnDigest digest;
  private final Executor loop;

  /**
   * Before {@code others}.
   *
   * @param digest of the stored responses
   * @param loop the event loop of both
   */
  public OwnObjects(Upstream others, OwnDigest digest, Executor loop) {
    this.others = others;
    this.digest = digest;
    this.loop = loop;
  }

  /** Whether {@code head}, its target in origin-form, requests one of them, existing or not. */
  public static boolean isAskedFor(RequestHead head) {
    int start = head.targetStart();
    int end = start + FOLDER.length;
    return (end <= head.targetEnd()
            && Arrays.equals(head.bytes(), start, end, FOLDER, 0, FOLDER.length))
        || isDigest(head.bytes(), start, head.targetEnd());
  }

  /** Whether {@code bytes[start, end)} is the path of the digest. */
  public static boolean isDigest(byte[] bytes, int start, int end) {
    return Arrays.equals(bytes, start, end, DIGEST_BYTES, 0, DIGEST_BYTES.length);
  }

  private byte[] answer(String path) {
    if (path.equals(DIGEST)) {
      byte[] present = digest.answer();
      return present == null ? NOT_FOUND : present;
    }
    return ANSWERS.getOrDefault(path, NOT_FOUND);
  }

  /** Content of as many bytes as {@code path} says, fresh for a minute. */
  private static byte[] ownRequest(String path) {
    String length = path.substring(Math.min(path.length(), OWN_REQUEST.length()));
    int bytes = length.matches("[0-9]{1,5}") ? Integer.parseInt(length) : -1;
    if (bytes < 0 || bytes > MAX_OWN_REQUEST_BYTES) {
      return NOT_FOUND;
    }
    byte[] head =
        bytes(
            "HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nETag: \"0\"\r\nContent-Length: "
                + bytes
                + "\r\n\r\n");
    return Arrays.copyOf(head, head.length + bytes);
  }

  private static Map<String, byte[]> answers(String... names) {
    Map<String, byte[]> answers = new HashMap<>();
    for (String name : names) {
      byte[] content = read(name);
      CRC32C crc = new CRC32C();
      crc.update(content);
      byte[] head =
          bytes(
              "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: "
                  + content.length
                  + "\r\nCache-Control: max-age=86400\r\nETag: \""
                  + Long.toHexString(crc.getValue())
                  + "\"\r\n\r\n");
      byte[] answer = Arrays.copyOf(head, head.length + content.length);
      System.arraycopy(content, 0, answer, head.length, content.length);
      answers.put(new String(FOLDER, StandardCharsets.US_ASCII) + name, answer);
    }
    return answers;
  }

  private static byte[] read(String name) {
    try (InputStream file = OwnObjects.class.getResourceAsStream(name)) {
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public OriginStream fetch(
      List<Hop> hops, OutgoingRequest request, AddressCheck check, OriginEvents events) {
    boolean own = hops == OWN_REQUEST_HOPS;
    if (hops != HOPS && !own) {
      return others.fetch(hops, request, check, events);
    }
    boolean allowed = Method.isGetOrHead(request.methodId());
    String path = new String(request.path(), StandardCharsets.ISO_8859_1);
    byte[] bytes = !allowed ? NOT_ALLOWED : own ? ownRequest(path) : answer(path);
    Answer answer = new Answer(request.methodId(), bytes, events);
    loop.execute(answer::begin);
    return answer;
  }

  @Override
  public OriginStream connect(
      List<Hop> hops, OutgoingConnect tunnel, AddressCheck check, OriginEvents events) {
    return others.connect(hops, tunnel, check, events);
  }

  @Override
  public OriginStream probe(Hop hop, AddressCheck check, OriginEvents events) {
    return others.probe(hop, check, events);
  }

  @Override
  public void verify(
      TlsOptions options,
      String server,
      List<X509Certificate> chain,
      Consumer<List<TlsFault>> done) {
    others.verify(options, server, chain, done);
  }

  @Override
  public void secure(
      Channel channel,
      TlsOptions options,
      String server,
      int port,
      Consumer<@Nullable String> done) {
    others.secure(channel, options, server, port, done);
  }

  @Override
  public ChannelFuture dial(InetSocketAddress address, ChannelHandler handler) {
    return others.dial(address, handler);
  }

  @Override
  public @Nullable List<InetAddress> resolved(String host) {
    return host.equals(HOST) ? List.of() : others.resolved(host);
  }

  @Override
  public void resolve(String host, Consumer<List<InetAddress>> done) {
    if (host.equals(HOST)) {
      done.accept(List.of());
    } else {
      others.resolve(host, done);
    }
  }

  @Override
  public @Nullable String knownName(String address) {
    return others.knownName(address);
  }

  @Override
  public void findName(String address, Consumer<String> done) {
    others.findName(address, done);
  }

  /** A response with one of them: the head, then all content with the first read. */
  private static final class Answer implements OriginStream {
    private final OriginEvents events;
    private final int methodId;
    private final byte[] bytes;
    private final FetchTimings timings = new FetchTimings();
    private ByteBuf content = Unpooled.EMPTY_BUFFER;
    private boolean over;

    Answer(int methodId, byte[] bytes, OriginEvents events) {
      this.events = events;
      this.methodId = methodId;
      this.bytes = bytes;
    }

    void begin() {
      if (over) {
        return;
      }
      ResponseHead head = new ResponseHead();
      new Http1ResponseParser(ParseLimits.DEFAULT).parse(bytes, bytes.length, head);
      Framing framing = MessageFraming.of(head, methodId);
      if (framing.kind() == Framing.Kind.LENGTH) {
        content = Unpooled.wrappedBuffer(bytes, head.end(), bytes.length - head.end());
      }
      events.head(head, framing.contentLength());
      if (!content.isReadable()) {
        end();
      }
    }

    @Override
    public void read() {
      if (!over && content.isReadable()) {
        events.content(content.readRetainedSlice(content.readableBytes()));
        end();
      }
    }

    private void end() {
      if (!over) {
        over = true;
        events.end(null);
      }
    }

    @Override
    public void content(ByteBuf unwanted) {
      unwanted.release();
    }

    @Override
    public void endContent(@Nullable Fields trailers) {
      // there is no reader
    }

    @Override
    public boolean writable() {
      return true;
    }

    @Override
    public void cancel() {
      over = true;
    }

    @Override
    public ByteStream detach() {
      throw new IllegalStateException("there is no connection");
    }

    @Override
    public FetchTimings timings() {
      return timings;
    }
  }
}
