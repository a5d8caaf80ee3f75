package io.loligo.server.admin;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.NetUtil;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One connection of the admin port. Confined to the admin server's event loop. */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(AdminHandler.class);

  private static final String CHALLENGE = "Basic realm=\"Loligo\", charset=\"UTF-8\"";

  /** Own files only; no text becomes a script, a style or an element. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
          + " base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
          + " require-trusted-types-for 'script'";

  private static final String LASTING = "private, max-age=31536000, immutable";

  private final AdminAccess access;
  private final AdminRoutes routes;
  private CompletableFuture<Void> previous = CompletableFuture.completedFuture(null);

  /** A stream has begun, and lasts until the connection closes. */
  private boolean isStreaming;

  AdminHandler(AdminAccess access, AdminRoutes routes) {
    this.access = access;
    this.routes = routes;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
    if (isStreaming) {
      context.close();
      return;
    }
    boolean keep = request.decoderResult().isSuccess() && HttpUtil.isKeepAlive(request);
    boolean isHead = request.method().equals(HttpMethod.HEAD);
    HttpVersion version = request.protocolVersion();
    CompletableFuture<AdminReply> reply = reply(context, request).exceptionally(this::failed);
    // in the order of the requests, regardless of which is ready first
    previous =
        previous.thenCombineAsync(
            reply,
            (nothing, ready) -> send(context, ready, version, keep, isHead),
            context.executor());
  }

  private @Nullable Void send(
      ChannelHandlerContext context,
      AdminReply reply,
      HttpVersion version,
      boolean keep,
      boolean isHead) {
    Consumer<ChannelHandlerContext> stream = reply.stream();
    if (isStreaming) {
      context.close();
    } else if (stream == null || isHead) {
      write(context, reply, version, keep);
    } else {
      stream(context, reply, stream, version);
    }
    return null;
  }

  /** The head now; {@code stream} sends the content. */
  private void stream(
      ChannelHandlerContext context,
      AdminReply reply,
      Consumer<ChannelHandlerContext> stream,
      HttpVersion version) {
    isStreaming = true;
    // the client sends nothing from now on
    context.pipeline().remove(ReadTimeoutHandler.class);
    HttpResponse head =
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()));
    fields(head.headers(), reply);
    if (version.equals(HttpVersion.HTTP_1_0)) {
      head.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    } else {
      HttpUtil.setTransferEncodingChunked(head, true);
    }
    context.write(head);
    stream.accept(context);
  }

  private void write(
      ChannelHandlerContext context, AdminReply reply, HttpVersion version, boolean keep) {
    FullHttpResponse response = response(reply);
    if (keep) {
      HttpUtil.setKeepAlive(response.headers(), version, true);
      context.writeAndFlush(response);
    } else {
      response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      context.writeAndFlush(response).addListener(ChannelFutureListener.CLOSE);
    }
  }

  private AdminReply failed(Throwable cause) {
    LOG.warn("admin request failed; next: report this defect, with the trace", cause);
    return AdminReply.text(500, "failed; see the application log");
  }

  private CompletableFuture<AdminReply> reply(
      ChannelHandlerContext context, FullHttpRequest request) {
    AdminReply refusal = refusal(context, request);
    if (refusal != null) {
      return CompletableFuture.completedFuture(refusal);
    }
    InetSocketAddress client = (InetSocketAddress) context.channel().remoteAddress();
    try {
      return routes.answer(
          request.method().name(),
          request.uri(),
          request.headers().get(HttpHeaderNames.AUTHORIZATION),
          request.headers().get(HttpHeaderNames.ACCEPT),
          NetUtil.toAddressString(client.getAddress()));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Why the request is refused, or null. */
  private @Nullable AdminReply refusal(ChannelHandlerContext context, FullHttpRequest request) {
    if (!request.decoderResult().isSuccess()) {
      return AdminReply.text(400, "bad request");
    }
    HttpHeaders fields = request.headers();
    List<String> hosts = fields.getAll(HttpHeaderNames.HOST);
    if (hosts.size() > 1 || (hosts.isEmpty() && !mayOmitHost(request))) {
      return AdminReply.text(400, "exactly one Host field is required");
    }
    String host = hosts.isEmpty() ? null : hosts.get(0);
    InetSocketAddress local = (InetSocketAddress) context.channel().localAddress();
    InetSocketAddress client = (InetSocketAddress) context.channel().remoteAddress();
    if (!access.clientAllowed(new AdminClient(client, local))) {
      return AdminReply.text(403, "loligo_admin_access does not allow this address");
    }
    if (host != null && !access.hostAllowed(host, local)) {
      return AdminReply.text(403, "this Host is unknown here");
    }
    for (String origin : fields.getAll(HttpHeaderNames.ORIGIN)) {
      if (!access.originAllowed(origin, host)) {
        return AdminReply.text(403, "requests of other sites are refused");
      }
    }
    if ("cross-site".equals(fields.get("Sec-Fetch-Site"))) {
      return AdminReply.text(403, "requests of other sites are refused");
    }
    return null;
  }

  /** Simple health checkers send HTTP/1.0 without Host; a browser never does. */
  private static boolean mayOmitHost(FullHttpRequest request) {
    return request.protocolVersion().equals(HttpVersion.HTTP_1_0)
        && !request.method().equals(HttpMethod.POST)
        && !request.method().equals(HttpMethod.DELETE);
  }

  private static FullHttpResponse response(AdminReply reply) {
    ByteBuf body = Unpooled.wrappedBuffer(reply.body().getBytes(StandardCharsets.UTF_8));
    FullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, HttpResponseStatus.valueOf(reply.status()), body);
    response.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.readableBytes());
    fields(response.headers(), reply);
    return response;
  }

  private static void fields(HttpHeaders fields, AdminReply reply) {
    fields
        .set(HttpHeaderNames.CONTENT_TYPE, reply.contentType())
        .set(HttpHeaderNames.CACHE_CONTROL, reply.isLasting() ? LASTING : "no-store")
        .set("X-Content-Type-Options", "nosniff")
        .set("X-Frame-Options", "DENY")
        .set("Referrer-Policy", "no-referrer")
        .set("Cross-Origin-Resource-Policy", "same-origin")
        .set("Content-Security-Policy", POLICY);
    if (reply.allow() != null) {
      fields.set(HttpHeaderNames.ALLOW, reply.allow());
    }
    if (reply.status() == HttpResponseStatus.UNAUTHORIZED.code()) {
      fields.add(HttpHeaderNames.WWW_AUTHENTICATE, CHALLENGE);
    }
    if (reply.retrySeconds() > 0) {
      fields.set(HttpHeaderNames.RETRY_AFTER, reply.retrySeconds());
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    LOG.debug("admin connection closed", cause);
    context.close();
  }
}
