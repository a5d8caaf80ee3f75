package io.loligo.server.exchange.inspect;

import io.loligo.core.acl.AclVerdict;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Method;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.bump.BumpAction;
import io.loligo.server.bump.UnsupportedProtocol;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.Decryption;
import io.loligo.server.exchange.request.Request;
import io.loligo.server.exchange.request.TunnelStep;
import io.loligo.server.exchange.rules.Refusal;
import io.loligo.server.exchange.services.LoopServices;
import io.loligo.server.exchange.settings.InspectionSettings;
import io.loligo.server.exchange.tunnel.ConnectEvents;
import io.loligo.server.exchange.tunnel.Tunneling;
import io.loligo.server.port.Destination;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HitClass;
import io.loligo.server.record.HopTls;
import io.loligo.server.record.LogTag;
import io.loligo.server.record.TlsFailure;
import io.loligo.server.record.TunnelFacts;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.tls.ClientHello;
import io.loligo.server.tls.ServerFlight;
import io.loligo.server.tls.ServerIdentity;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.tls.TlsOptions;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.server.upstream.AddressCheck;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchFailure;
import io.loligo.server.upstream.Hop;
import io.loligo.server.upstream.HopSecurity;
import io.loligo.server.upstream.LocalEnd;
import io.loligo.server.upstream.OriginStream;
import io.loligo.server.upstream.route.Router;
import io.loligo.server.upstream.tls.ServerNames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A CONNECT on a port with {@code ssl-bump}: asks the rules in up to three steps, see {@link
 * io.loligo.server.bump.BumpRules}. Confined to the client's event loop.
 *
 * <pre>
 * RESOLVING   a rule of step 1 needs the addresses of the destination
 * READING     the client has its 200; its first message arrives
 * RESPONDING  an error page in clear text is on its way to the client
 * ASKING      the server is asked for its certificate
 * REACHING    the first message goes to the server, whose certificate is read in its response
 * HEARING     that response arrives
 * VERIFYING   the certificate in it is verified, because a rule asks
 * CONNECTING  the tunnel will be spliced
 * OVER        spliced, decrypted or ended
 * </pre>
 *
 * <p>{@code http_access} also decides about the name in the first message: a client may not reach
 * by another address what it may not reach by name.
 */
public final class Inspection extends ConnectEvents
    implements Router.Listener, AddressCheck, PeekedStream.Listener {
  private enum State {
    RESOLVING,
    READING,
    RESPONDING,
    ASKING,
    REACHING,
    HEARING,
    VERIFYING,
    CONNECTING,
    OVER
  }

  private final LoopServices services;
  private final InspectionSettings settings;
  private final Request request;
  private final ClientStream stream;
  private final FirstMessage firstMessage = new FirstMessage();
  private State state = State.RESOLVING;

  /** The tunnel that is spliced unread; null: another fate. */
  private @Nullable ClientEvents unread;

  private @Nullable PeekedStream client;
  private @Nullable OriginStream origin;

  /** The server's bytes after a peek in step 2; null before. */
  private @Nullable PeekedStream server;

  private BumpAction action = BumpAction.SPLICE;
  private @Nullable ClientHello hello;

  /** Prepares the inspection for {@code request}, a snapshot of a CONNECT. */
  public Inspection(LoopServices services, Request request) {
    this.services = services;
    this.settings = services.settings.inspection;
    this.request = request;
    this.stream = request.stream();
  }

  private final class FirstMessage extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      if (state == State.READING) {
        unsupported(TlsFailure.TIMEOUT, "no first message of TLS arrived in time");
      } else if (state == State.RESPONDING) {
        end("the client does not read the error page");
      } else if (state == State.HEARING) {
        heard(List.of());
      }
    }
  }

  /**
   * Begins with step 1. Returns the receiver of the client's events, or null if the CONNECT has its
   * response.
   */
  public @Nullable ClientEvents start() {
    ExchangeRecord record = stream.record();
    record.tag = LogTag.TCP_TUNNEL;
    record.hitClass = HitClass.TUNNEL;
    boolean asks = settings.rules.needsDestination() || settings.certificates.needsDestination();
    if (asks && request.destinationAddresses() == null) {
      services.upstream.resolve(
          request.host(),
          addresses -> {
            if (state == State.RESOLVING) {
              request.destinations(addresses);
              first();
            }
          });
    } else {
      first();
    }
    return state == State.OVER && unread == null ? null : this;
  }

  // ---- step 1: the CONNECT is known

  private void first() {
    request.server().tunnelStep(new TunnelStep(1, null));
    note(settings.rules.first(request));
    switch (action) {
      case SPLICE -> {
        state = State.OVER;
        unread = new Tunneling(services, request).connect();
      }
      case TERMINATE -> {
        state = State.OVER;
        stream.abort("ssl_bump terminate");
      }
      // not from within the call that brought the request
      default -> stream.loop().execute(this::open);
    }
  }

  private void note(BumpAction chosen) {
    action = chosen;
    stream.record().tunnel = new TunnelFacts(chosen, hello);
  }

  private @Nullable String serverName() {
    return hello == null ? null : hello.serverName();
  }

  private void open() {
    if (state != State.RESOLVING) {
      return;
    }
    FieldLines lines = services.scratch.lines();
    lines.append(services.settings.viaLine(), 0, services.settings.viaLine().length);
    stream.head(services.scratch.head(200, lines).content(ContentLength.NONE, false));
    stream.flush();
    ByteStream bytes = stream.detach();
    if (bytes == null) {
      state = State.OVER;
      return;
    }
    state = State.READING;
    stream.tunnelBegun(() -> end("ended by the proxy"));
    services.timer.arm(firstMessage, settings.firstMessageMillis);
    client = new PeekedStream(bytes, services.store.transit(), this);
    client.peek(services.settings.streamBufferBytes);
  }

  private PeekedStream peeked() {
    assert client != null : "its bytes are read";
    return client;
  }

  @Override
  public void arrived(ByteBuf held) {
    ClientHello first = ClientHello.read(held);
    switch (first.state()) {
      case INCOMPLETE -> {}
      case COMPLETE -> read(first);
      case PLAINTEXT -> unsupported(TlsFailure.PLAINTEXT, "the first bytes are not TLS");
      case MALFORMED -> fail(TlsFailure.MALFORMED, "the first message of TLS is malformed");
      case OVERSIZED -> fail(TlsFailure.OVERSIZED, "the first message of TLS is too large");
      case BAD_NAME -> fail(TlsFailure.SERVER_NAME, "the server name has forbidden characters");
    }
  }

  @Override
  public void ended() {
    fail(TlsFailure.GONE, "the client left before its first message was complete");
  }

  /** Ends the tunnel because of the client's first bytes. */
  private void fail(TlsFailure kind, String why) {
    if (state != State.OVER) {
      services.counters.tlsFailed(kind);
      end(why);
    }
  }

  private void unsupported(TlsFailure kind, String why) {
    services.timer.cancel(firstMessage);
    peeked().rest();
    ExchangeRecord record = stream.record();
    record.errorDetail = why;
    UnsupportedProtocol.Action fate = settings.unsupported.of(request);
    if (fate != UnsupportedProtocol.Action.TUNNEL) {
      services.counters.tlsFailed(kind);
    }
    switch (fate) {
      case TUNNEL -> {
        note(BumpAction.SPLICE);
        splice();
      }
      case RESPOND -> {
        record.errorCode = "ERR_PROTOCOL_UNKNOWN";
        String page =
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Type: text/plain\r\n\r\n"
                + "This tunnel is inspected, and its first bytes are not TLS.\n";
        PeekedStream bytes = peeked();
        bytes.write(ByteBufUtil.writeAscii(stream.allocator(), page));
        bytes.shutdownOutput();
        state = State.RESPONDING;
        services.timer.arm(firstMessage, settings.firstMessageMillis);
        bytes.whenDrained(() -> end(why));
      }
      case TERMINATE -> end(why);
    }
  }

  // ---- step 2: the first message is known

  private void read(ClientHello first) {
    services.timer.cancel(firstMessage);
    peeked().rest();
    hello = first;
    note(action);
    String name = serverName();
    if (name != null && !name.equals(request.host())) {
      Request named = connectTo(name);
      if (named == null) {
        fail(TlsFailure.SERVER_NAME, "the server name is no host name");
        return;
      }
      AclVerdict verdict = services.destinations.access(named);
      if (verdict.kind() == AclVerdict.Kind.NEEDS_DESTINATION
          && named.destinationAddresses() == null) {
        services.upstream.resolve(request.host(), addresses -> resolved(addresses, first));
        return;
      }
      if (!verdict.allowed()) {
        deny(Refusal.rule(verdict));
        return;
      }
    }
    second();
  }

  private void resolved(List<InetAddress> addresses, ClientHello first) {
    if (state == State.READING) {
      request.destinations(addresses);
      read(first);
    }
  }

  /** A CONNECT to the server called {@code name}; null: that is no host name. */
  private @Nullable Request connectTo(String name) {
    RequestHead head = request.head().snapshotFor(name + ":" + request.port());
    RequestTarget target = new RequestTarget();
    ParseFailure failure = target.resolve(head, "http", null, true);
    return failure == null ? request.with(head, target) : null;
  }

  private void deny(String rule) {
    stream.record().tag = LogTag.TCP_DENIED;
    note(BumpAction.TERMINATE);
    end(rule);
  }

  private void second() {
    request.server().tunnelStep(new TunnelStep(2, serverName()));
    note(settings.rules.second(request));
    switch (action) {
      case SPLICE -> splice();
      case TERMINATE -> end("ssl_bump terminate");
      case PEEK -> route(State.REACHING);
      case STARE, BUMP -> ask();
    }
  }

  // ---- step 3: the certificate of the server is known

  /** Asks the server for its certificate, unless a parent is between. */
  private void ask() {
    Decryption decryption = stream.decryption();
    if (decryption != null && decryption.hosts().isRefused(name())) {
      note(BumpAction.SPLICE);
      splice();
      return;
    }
    X509Certificate known = decryption == null ? null : decryption.hosts().known(place());
    if (known != null) {
      certified(known, List.of());
      return;
    }
    route(State.ASKING);
  }

  private void route(State next) {
    state = next;
    services.router.route(request, Method.CONNECT, this);
  }

  private String place() {
    return name() + ":" + request.port();
  }

  /** The name that the client asked for. */
  private String name() {
    String name = serverName();
    return name == null ? request.host() : name;
  }

  /** Later tunnels need not ask the server, whose {@code certificate} is valid. */
  private void learn(@Nullable X509Certificate certificate) {
    Decryption decryption = stream.decryption();
    if (certificate != null && decryption != null) {
      decryption.hosts().learn(place(), certificate);
    }
  }

  /**
   * The server was asked.
   *
   * @param certificate null: it has none that is valid
   * @param faults those that the rules of the configuration tolerated, or the one that they did not
   */
  private void certified(@Nullable X509Certificate certificate, List<TlsFault> faults) {
    request.server().tunnelStep(step(certificate, faults));
    if (action == BumpAction.STARE) {
      third(BumpAction.STARE, certificate);
    } else {
      bump(certificate);
    }
  }

  private TunnelStep step(@Nullable X509Certificate certificate, List<TlsFault> faults) {
    List<String> names = certificate == null ? null : ServerNames.of(certificate).names();
    return new TunnelStep(3, serverName(), names, faults, certificate);
  }

  private void third(BumpAction second, @Nullable X509Certificate certificate) {
    note(settings.rules.third(request, second));
    switch (action) {
      case SPLICE -> splice();
      case BUMP -> bump(certificate);
      default -> end("ssl_bump terminate");
    }
  }

  private void bump(@Nullable X509Certificate certificate) {
    Decryption decryption = stream.decryption();
    if (decryption == null) {
      end("the tunnel cannot be decrypted: the port has no authority");
      return;
    }
    state = State.OVER;
    ExchangeRecord record = stream.record();
    record.tag = LogTag.NONE_NONE;
    account();
    Destination before = request.destination();
    PeekedStream bytes = peeked();
    decryption.begin(
        bytes.stream(),
        bytes.take(),
        certificate == null
            ? ServerIdentity.unknown(name())
            : new ServerIdentity(name(), certificate, settings.certificates.of(request)),
        new Destination(
            "https",
            name(),
            request.port(),
            before == null ? null : before.original(),
            request.user()));
  }

  // ---- splice

  private void splice() {
    PeekedStream heard = server;
    if (heard == null) {
      route(State.CONNECTING);
    } else {
      state = State.OVER;
      Tunneling.relay(services, stream, peeked(), heard, Tunneling.limit(services, request, null));
    }
  }

  // ---- after a peek in step 2

  /** The server gets the first message; its response tells the certificate, up to TLS 1.2. */
  private void reached(ByteStream bytes) {
    state = State.HEARING;
    services.timer.arm(firstMessage, settings.firstMessageMillis);
    server = new PeekedStream(bytes, services.store.transit(), new ServerListener());
    ByteBuf first = peeked().take();
    server.peek(services.settings.streamBufferBytes);
    server.write(first);
  }

  private final class ServerListener implements PeekedStream.Listener {
    @Override
    public void arrived(ByteBuf held) {
      ServerFlight flight = ServerFlight.read(held);
      if (flight.complete()) {
        heard(flight.chain());
      }
    }

    @Override
    public void ended() {
      heard(List.of()); // relayed as it is
    }
  }

  private void heard(List<X509Certificate> chain) {
    PeekedStream bytes = server;
    if (state != State.HEARING || bytes == null) {
      return;
    }
    services.timer.cancel(firstMessage);
    bytes.rest();
    if (chain.isEmpty()) {
      peekedAt(null, List.of());
    } else if (settings.rules.needFaults()) {
      state = State.VERIFYING;
      TlsOptions options = settings.outgoingTls.options();
      services.upstream.verify(options, name(), chain, faults -> verified(chain.get(0), faults));
    } else {
      peekedAt(chain.get(0), List.of());
    }
  }

  private void verified(X509Certificate certificate, List<TlsFault> faults) {
    if (state == State.VERIFYING) {
      peekedAt(certificate, counting(faults));
    }
  }

  private void peekedAt(@Nullable X509Certificate certificate, List<TlsFault> faults) {
    request.server().tunnelStep(step(certificate, faults));
    third(BumpAction.PEEK, certificate);
  }

  /** The {@code faults} that no option of the configuration lets pass. */
  private List<TlsFault> counting(List<TlsFault> faults) {
    TlsOptions options = settings.outgoingTls.options();
    return faults.stream().filter(fault -> !options.tolerates(fault)).toList();
  }

  @Override
  public void routed(List<Hop> hops) {
    if (state == State.CONNECTING || state == State.REACHING) {
      origin = services.upstream.connect(hops, Tunneling.to(services, request, hops), this, this);
    } else if (state == State.ASKING) {
      Hop hop = hops.get(0);
      if (hop.peer() == null && settings.outgoingTls.enabled()) {
        HopSecurity security =
            new HopSecurity(name(), settings.outgoingTls.options(), settings.originHttp2);
        Hop secure = new Hop.Direct(hop.host(), hop.port(), hop.code(), security, hop.from());
        origin = services.upstream.probe(secure, this, this);
      } else {
        certified(null, List.of());
      }
    }
  }

  @Override
  public void unroutable(FetchFailure failure) {
    failed(failure);
  }

  @Override
  public @Nullable String refusal(InetAddress address, int port) {
    return services.destinations.refusal(request, address, port, /* tunnel= */ true);
  }

  @Override
  public LocalEnd localEnd(InetAddress address, @Nullable CachePeer peer) {
    return services.destinations.localEnd(request, address, peer);
  }

  @Override
  public boolean tolerates(TlsFault fault) {
    return services.destinations.tolerates(request, fault);
  }

  @Override
  public void head(@Nullable ResponseHead none, long noContent) {
    OriginStream connected = origin;
    assert connected != null : "it has answered";
    account();
    if (state == State.ASKING) {
      HopTls secured = connected.timings().secured;
      origin = null;
      if (secured != null && secured.tolerated().isEmpty()) {
        learn(secured.certificate());
      }
      if (secured == null) {
        certified(null, List.of());
      } else {
        certified(secured.certificate(), counting(secured.tolerated()));
      }
    } else if (state == State.REACHING) {
      origin = null;
      reached(connected.detach());
    } else if (state == State.CONNECTING) {
      state = State.OVER;
      Tunneling.relay(
          services,
          stream,
          peeked(),
          connected.detach(),
          Tunneling.limit(services, request, connected.timings().peer));
    }
  }

  @Override
  public void failed(FetchFailure failure) {
    boolean asked = state == State.ASKING;
    account();
    origin = null;
    if (failure.kind() == FetchFailure.Kind.ADDRESS_DENIED) {
      deny(failure.detail());
    } else if (asked) {
      // each request inside gets an error page that tells the fault
      TlsFault fault = failure.fault();
      boolean known = fault != null && fault.isOfCertificate();
      certified(null, known ? List.of(fault) : List.of());
    } else {
      end(failure.detail());
    }
  }

  private void account() {
    if (origin != null) {
      origin.timings().describe(stream.record());
    }
  }

  // ---- ends

  /** Ends the tunnel, of which the client has the 200. */
  private void end(String why) {
    if (state == State.OVER) {
      return;
    }
    state = State.OVER;
    services.timer.cancel(firstMessage);
    if (origin != null) {
      origin.cancel();
    }
    if (server != null) {
      server.close();
    }
    ExchangeRecord record = stream.record();
    if (record.errorDetail == null) {
      record.errorDetail = why;
    }
    PeekedStream bytes = peeked();
    int received = bytes.receivedBytes();
    bytes.close();
    stream.tunnelEnded(received, bytes.writtenBytes());
  }

  @Override
  public void gone() {
    if (unread != null) {
      unread.gone();
    }
    state = State.OVER;
  }

  @Override
  public void writable() {
    if (unread != null) {
      unread.writable();
    }
  }
}
