package io.loligo.server.exchange.request;

import io.loligo.core.acl.Aliases;
import io.loligo.core.acl.ExternalAcl;
import io.loligo.core.acl.LoginState;
import io.loligo.core.acl.Notes;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldName;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.message.StoreId;
import io.loligo.core.proxyprotocol.ProxyHeaderVersion;
import io.loligo.core.range.Slice;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.helper.HelperReply;
import io.loligo.server.login.Logins;
import io.loligo.server.login.RequestLogin;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.Interception;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HelperFacts;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.RewrittenRequest;
import io.loligo.server.tls.Fingerprint;
import io.loligo.server.tls.PeerCertificate;
import io.loligo.server.tls.SessionFacts;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchTimings;
import io.loligo.server.upstream.HopProxyHeader;
import io.loligo.server.upstream.route.RoutedRequest;
import io.loligo.store.memory.StoredResponse;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request and the facts known about it: its stream, head, target, content length and the facts
 * that access rules need. Confined to the client's event loop.
 *
 * <p>An event loop reuses one object for all requests. A request that must wait continues as a
 * {@link #snapshot}, with copies of its head and target.
 */
public final class Request implements RoutedRequest {
  private @Nullable ClientStream stream;
  private @Nullable ExchangeRecord record;
  private @Nullable EventLoop loop;
  private @Nullable ByteBufAllocator allocator;
  private HttpPort port;
  private InetSocketAddress connected;
  private @Nullable InetSocketAddress local;
  private @Nullable Destination destination;

  /** TLS with the client; null: none. */
  private @Nullable SessionFacts session;

  private int connections;
  private RequestHead head;
  private RequestTarget target;
  private long contentLength;
  private @Nullable Fields reply;
  private int replyStatus;
  private @Nullable StoredResponse stored;
  private @Nullable List<byte[]> destinations;

  /** The name of a host given as an address; null: not looked up. */
  private @Nullable String destinationName;

  /** Addresses of the host in the URL, if {@link #destinations} has the pinned one instead. */
  private @Nullable List<byte[]> named;

  private @Nullable InetSocketAddress pinned;
  private boolean hostConflict;
  private byte @Nullable [] client;
  private @Nullable TlsFault fault;
  private @Nullable TunnelStep tunnelStep;

  /** The user, as far as known; null: nobody can log in. */
  private @Nullable RequestLogin login;

  private @Nullable Logins logins;
  private long nowMillis;
  private int nextStep;
  private boolean unsliced;
  private boolean owned;

  /** Knows answers of helpers to ACLs; null: no ACL has a helper. */
  private @Nullable ExternalAnswers externals;

  /** The answers about this request; null: none yet. */
  private @Nullable Map<ExternalAcl, HelperReply> externalReplies;

  /** The first ACL whose helper must be asked; null: none since {@link #forgetUnasked}. */
  private @Nullable ExternalAcl unasked;

  /** The answer of the rewriter; null: it was not asked, or has not answered. */
  private @Nullable HelperReply rewriter;

  private boolean rewriterObeyed;
  private boolean adapted;

  /** The answer of the program for store ids; null: it was not asked, or has not answered. */
  private @Nullable HelperReply storeIdReply;

  /** What helpers of ACLs have told; null: nothing. */
  private @Nullable HelperFacts helpers;

  private Notes notes;

  private @Nullable RewrittenRequest rewritten;

  /** The name of the client's address; null: not looked up. */
  private @Nullable String clientName;

  /** The MAC address of the client, or the empty string; null: not looked up. */
  private @Nullable String clientHardware;

  /** The way that it is sent; null: none is chosen. */
  private @Nullable FetchTimings way;

  /** The peer to which a connection is about to be opened; null: none. */
  private @Nullable CachePeer nextPeer;

  /** A request that {@link #begin} must fill. */
  @SuppressWarnings("NullAway.Init") // by begin, asked or with
  public Request() {}

  /**
   * Starts over with a request of {@code stream}. Borrows all arguments. Returns itself.
   *
   * @param contentLength bytes of the request's content, see {@link ContentLength}
   * @param nowMillis milliseconds since the epoch
   */
  public Request begin(
      ClientStream stream,
      RequestHead head,
      long contentLength,
      RequestTarget target,
      long nowMillis) {
    this.stream = stream;
    this.record = stream.record();
    this.loop = stream.loop();
    this.allocator = stream.allocator();
    this.port = stream.port();
    this.destination = stream.destination();
    this.connected = record.client;
    this.local = record.local;
    this.session = record.session;
    this.connections = stream.clientConnections();
    this.head = head;
    this.target = target;
    this.contentLength = contentLength;
    this.nowMillis = nowMillis;
    forgetReply();
    this.destinations = null;
    this.destinationName = null;
    this.named = null;
    this.pinned = null;
    this.hostConflict = false;
    this.client = null;
    this.fault = null;
    this.tunnelStep = null;
    this.login = null;
    this.logins = null;
    this.nextStep = 0;
    this.unsliced = false;
    this.owned = false;
    this.externals = null;
    this.externalReplies = null;
    this.unasked = null;
    this.rewriter = null;
    this.rewriterObeyed = false;
    this.adapted = false;
    this.storeIdReply = null;
    this.helpers = null;
    this.notes = Notes.NONE;
    this.rewritten = null;
    this.clientName = null;
    this.clientHardware = null;
    this.way = null;
    this.nextPeer = null;
    return this;
  }

  /**
   * Returns a request that no client has sent, as {@code client} would send it to {@code port}. It
   * has no stream, loop or allocator. {@code head} and {@code target} must not change afterwards.
   *
   * @param contentLength bytes of the request's content, see {@link ContentLength}
   * @param nowMillis milliseconds since the epoch
   */
  public static Request asked(
      HttpPort port,
      InetSocketAddress client,
      RequestHead head,
      long contentLength,
      RequestTarget target,
      long nowMillis) {
    Request request = new Request();
    request.record = new ExchangeRecord();
    request.port = port;
    request.connected = client;
    request.connections = 1;
    request.head = head;
    request.target = target;
    request.contentLength = contentLength;
    request.notes = Notes.NONE;
    request.nowMillis = nowMillis;
    request.owned = true;
    return request;
  }

  /**
   * Returns this request with copies of its head and target. The record of the exchange gets the
   * copies too. Returns this object if it already owns them.
   */
  public Request snapshot() {
    if (owned) {
      return this;
    }
    RequestHead headCopy = head.snapshot();
    Request copy = with(headCopy, target.snapshot(headCopy));
    copy.note();
    return copy;
  }

  private void note() {
    ExchangeRecord noted = record();
    if (noted.rewritten == null) {
      noted.request = head;
      noted.target = target;
    }
    noted.acl = this;
  }

  /** Returns a copy of this request with another head and target, both snapshots. */
  public Request with(RequestHead headSnapshot, RequestTarget targetSnapshot) {
    Request copy = new Request();
    copy.stream = stream;
    copy.record = record;
    copy.loop = loop;
    copy.allocator = allocator;
    copy.port = port;
    copy.connected = connected;
    copy.local = local;
    copy.destination = destination;
    copy.session = session;
    copy.connections = connections;
    copy.head = headSnapshot;
    copy.target = targetSnapshot;
    copy.contentLength = contentLength;
    copy.destinations = destinations;
    copy.destinationName = destinationName;
    copy.named = named;
    copy.pinned = pinned;
    copy.hostConflict = hostConflict;
    copy.client = client;
    copy.tunnelStep = tunnelStep;
    copy.login = login;
    copy.logins = logins;
    copy.nowMillis = nowMillis;
    copy.nextStep = nextStep;
    copy.unsliced = unsliced;
    copy.externals = externals;
    copy.externalReplies = externalReplies;
    copy.unasked = unasked;
    copy.rewriter = rewriter;
    copy.rewriterObeyed = rewriterObeyed;
    copy.adapted = adapted;
    copy.storeIdReply = storeIdReply;
    copy.helpers = helpers;
    copy.notes = notes;
    copy.rewritten = rewritten;
    copy.clientName = clientName;
    copy.clientHardware = clientHardware;
    copy.owned = true;
    return copy;
  }

  /** Returns a GET for the same target, with copies of head and target. */
  public Request asGet() {
    RequestHead get = head.snapshotAsGet();
    return with(get, target.snapshot(get));
  }

  /**
   * Returns {@link #asGet} without a client, a record and content. It outlives the client's
   * request.
   */
  public Request inBackground() {
    Request copy = asGet();
    copy.stream = null;
    copy.record = null;
    copy.contentLength = ContentLength.NONE;
    return copy;
  }

  /** Returns a copy of this request, a snapshot, that is answered without slices. */
  public Request unsliced() {
    Request copy = with(head, target);
    copy.unsliced = true;
    copy.note();
    return copy;
  }

  /**
   * Returns a request for one slice of the response to this one.
   *
   * @param stream receives the slice
   * @param sliceHead a GET for the range of the slice, a snapshot
   * @param sliceTarget a snapshot whose key includes the slice
   * @param nowMillis milliseconds since the epoch
   */
  public Request ofSlice(
      ClientStream stream, RequestHead sliceHead, RequestTarget sliceTarget, long nowMillis) {
    Request copy = with(sliceHead, sliceTarget);
    copy.contentLength = ContentLength.NONE;
    copy.nowMillis = nowMillis;
    copy.answerTo(stream);
    copy.note();
    return copy;
  }

  /** Sends the response to {@code stream} from now on, and uses its record. */
  public void answerTo(ClientStream stream) {
    this.stream = stream;
    this.record = stream.record();
  }

  /** The client's side. Not for a request that no client has sent. */
  public ClientStream stream() {
    assert stream != null : "no client has sent it";
    return stream;
  }

  /**
   * The record of the exchange. Not for a request in the background. For one by {@link #asked},
   * nobody reads it.
   */
  public ExchangeRecord record() {
    assert record != null : "in the background";
    return record;
  }

  /** The event loop of the client. Not for a request by {@link #asked}. */
  public EventLoop loop() {
    assert loop != null : "no client has sent it";
    return loop;
  }

  /** The allocator of the client's connection. Not for a request by {@link #asked}. */
  public ByteBufAllocator allocator() {
    assert allocator != null : "no client has sent it";
    return allocator;
  }

  /** The head. It stays valid only in a {@link #snapshot}; otherwise it is borrowed. */
  public RequestHead head() {
    return head;
  }

  /** The target and its key rule. It stays valid only in a {@link #snapshot}. */
  public RequestTarget target() {
    return target;
  }

  /** Bytes of the request's content, see {@link ContentLength}. */
  public long contentLength() {
    return contentLength;
  }

  /** Sets {@link #contentLength()}, for a request that is continued with other content. */
  public void contentLength(long bytes) {
    contentLength = bytes;
  }

  /** Whether services have adapted it, or have it in hand. */
  public boolean isAdapted() {
    return adapted;
  }

  /** Sets {@link #isAdapted()}. */
  public void setAdapted() {
    adapted = true;
  }

  /** The number of the next admission step, from 0. A request that has waited continues there. */
  public int nextStep() {
    return nextStep;
  }

  /** Sets {@link #nextStep()}. */
  public void nextStep(int number) {
    nextStep = number;
  }

  /** Whether the request must be answered without slices, see {@link #unsliced}. */
  public boolean isUnsliced() {
    return unsliced;
  }

  /** The slice that this request is for; null if it is not for a slice. */
  public @Nullable Slice slice() {
    return target.keyRule() instanceof Slice slice ? slice : null;
  }

  /** Whether this request is for the next slice of a response that has begun. */
  public boolean continuesAnswer() {
    Slice slice = slice();
    return slice != null && slice.continued() != null;
  }

  /**
   * Tells the access rules that the client is at {@code address}, behind the connected one. They
   * then count the connections of that address.
   *
   * @param address 4 or 16 bytes
   */
  public void indirectClient(byte[] address) {
    client = address;
    if (stream != null) {
      connections = stream.clientConnections(address);
    }
  }

  /** Takes {@link #indirectClient} back. */
  public void noIndirectClient() {
    client = null;
    if (stream != null) {
      connections = stream.clientConnections();
    }
  }

  @Override
  public @Nullable String clientName() {
    return clientName;
  }

  /** Gives the access rules the name of the client's address. */
  public void clientName(String name) {
    clientName = name;
  }

  @Override
  public @Nullable String clientHardware() {
    return clientHardware;
  }

  /** Gives the access rules the MAC address of the client; the empty string: it is not known. */
  public void clientHardware(String address) {
    clientHardware = address;
  }

  @Override
  public @Nullable Notes clientNotes() {
    return stream == null ? null : stream.connectionNotes();
  }

  @Override
  public void clientNotes(Notes replaced) {
    if (stream != null) {
      stream.connectionNotes(replaced);
    }
  }

  /** Adds the notes of the client's connection to those of this request. */
  public void takeClientNotes() {
    Notes held = clientNotes();
    if (held != null && !held.isEmpty()) {
      notes(notes.replacing(held.all()));
    }
  }

  /** Gives the access rules the way that this request is sent, and the server. */
  public void way(@Nullable FetchTimings chosen) {
    way = chosen;
  }

  /** Gives the access rules the peer that is dialled; null: the origin, or the dialling is over. */
  public void nextPeer(@Nullable CachePeer peer) {
    nextPeer = peer;
  }

  @Override
  public String hierarchyCode() {
    return (way == null ? HierarchyCode.HIER_NONE : way.code).name();
  }

  @Override
  public @Nullable String peerName() {
    CachePeer peer = nextPeer != null || way == null ? nextPeer : way.peer;
    return peer == null ? null : peer.name();
  }

  @Override
  public @Nullable String serverFingerprint() {
    X509Certificate certificate = tunnelStep == null ? null : tunnelStep.certificate();
    if (certificate == null && way != null && way.secured != null) {
      certificate = way.secured.certificate();
    }
    return certificate == null ? null : Fingerprint.sha1(certificate);
  }

  @Override
  public @Nullable String errorPage() {
    return record == null ? null : record.errorCode;
  }

  /** The address of the connected client, for X-Forwarded-For. */
  @Override
  public InetSocketAddress client() {
    return connected;
  }

  /**
   * The server that the client means by its connection, also in the background; null: the
   * connection is neither intercepted nor decrypted.
   */
  public @Nullable Destination destination() {
    return destination;
  }

  /** ACLs of helpers are decided by {@code known}. */
  public void externals(ExternalAnswers known) {
    externals = known;
  }

  @Override
  public ExternalAcl.Answer external(ExternalAcl acl) {
    if (externals == null) {
      return ExternalAcl.Answer.UNDECIDED;
    }
    ExternalAcl.Answer answer = externals.known(this, acl);
    if (answer == ExternalAcl.Answer.NEEDS_HELPER && unasked == null) {
      unasked = acl;
    }
    return answer;
  }

  /** The answer of a helper about this request; null: it was not asked. */
  public @Nullable HelperReply externalReply(ExternalAcl acl) {
    return externalReplies == null ? null : externalReplies.get(acl);
  }

  /** Adds an answer of a helper about this request. */
  public void externalReply(ExternalAcl acl, HelperReply reply) {
    Map<ExternalAcl, HelperReply> more = new HashMap<>();
    if (externalReplies != null) {
      more.putAll(externalReplies);
    }
    more.put(acl, reply);
    externalReplies = more;
  }

  /** The first ACL since {@link #forgetUnasked} whose helper must be asked, or null. */
  public @Nullable ExternalAcl unasked() {
    return unasked;
  }

  /** Before the rules are evaluated. */
  public void forgetUnasked() {
    unasked = null;
  }

  /** The answer of the rewriter; null: it was not asked, or has not answered. */
  public @Nullable HelperReply rewriter() {
    return rewriter;
  }

  /** Whether the answer of the rewriter has had its effect. */
  public boolean rewriterObeyed() {
    return rewriterObeyed;
  }

  /** Sets {@link #rewriterObeyed()}. */
  public void setRewriterObeyed() {
    rewriterObeyed = true;
  }

  /** Sets {@link #rewriter()}. */
  public void rewriter(HelperReply reply) {
    rewriter = reply;
  }

  /** The answer of the program for store ids; null: it was not asked, or has not answered. */
  public @Nullable HelperReply storeIdReply() {
    return storeIdReply;
  }

  /** Sets {@link #storeIdReply()}. */
  public void storeIdReply(HelperReply reply) {
    storeIdReply = reply;
  }

  /** Stores responses to this snapshot under {@code id}. */
  public void storedAs(StoreId id) {
    assert owned : "the parser may use the target again";
    target.storedAs(id);
  }

  @Override
  public Notes notes() {
    return notes;
  }

  /** Sets {@link #notes()}, also in the record. */
  @Override
  public void notes(Notes replaced) {
    notes = replaced;
    if (record != null) {
      record.notes = replaced;
    }
  }

  /** What helpers of ACLs have told about this request, beside its notes. */
  public HelperFacts helpers() {
    return helpers == null ? HelperFacts.NONE : helpers;
  }

  /** Sets {@link #helpers()}, also in the record. */
  public void helpers(HelperFacts facts) {
    helpers = facts;
    if (record != null) {
      record.helpers = facts;
    }
  }

  /**
   * Continues as {@code other}, which a rewriter made of this snapshot. If it goes to another host,
   * what was known about the destination is forgotten.
   */
  public void rewrite(RewrittenRequest other) {
    assert owned : "the parser may use the head again";
    if (record != null) {
      record.rewritten = other;
    }
    rewritten = other;
    head = other.head();
    target = other.target();
    if (other.elsewhere()) {
      destinations = null;
      destinationName = null;
      named = null;
      pinned = null;
      hostConflict = false;
    }
  }

  /** What a rewriter made of it; null: nothing. */
  public @Nullable RewrittenRequest rewritten() {
    return rewritten;
  }

  @Override
  public boolean isSentElsewhere() {
    return rewritten != null && rewritten.elsewhere();
  }

  @Override
  public HttpPort httpPort() {
    return port;
  }

  /** Gives the access rules a response: {@code head}, borrowed until {@link #forgetReply}. */
  public void reply(ResponseHead head) {
    reply(head.fields(), head.status());
  }

  /**
   * Gives the access rules a response: {@code fields}, borrowed until {@link #forgetReply}, and its
   * status.
   */
  public void reply(@Nullable Fields fields, int status) {
    this.reply = fields;
    this.replyStatus = status;
    this.stored = null;
  }

  /**
   * Gives the access rules a stored response: {@code response}, borrowed until {@link
   * #forgetReply}.
   */
  public void reply(StoredResponse response) {
    reply(null, response.meta().status());
    this.stored = response;
  }

  /** Removes the response that {@link #reply(Fields, int)} set. */
  public void forgetReply() {
    reply(null, 0);
  }

  @Override
  public void destinations(@Nullable List<InetAddress> addresses) {
    this.destinations = addressBytes(addresses);
  }

  /**
   * A direct hop goes to {@code address} from now on. Access rules see that address as the
   * destination.
   *
   * @param conflict whether the host in the URL does not lead to {@code address}
   */
  public void pin(InetSocketAddress address, boolean conflict) {
    named = destinations;
    destinations = List.of(addressBytes(address.getAddress()));
    pinned = address;
    hostConflict = conflict;
  }

  @Override
  public @Nullable InetSocketAddress pinned() {
    return pinned;
  }

  @Override
  public boolean hostConflicts() {
    return hostConflict;
  }

  @Override
  public Request withAliases() {
    List<byte[]> all = destinations == null ? List.of() : new ArrayList<>(destinations);
    if (named != null) {
      all.addAll(named);
    }
    for (int i = all.size() - 1; i >= 0; i--) {
      all.addAll(Aliases.of(all.get(i)));
    }
    if (destinations == null || all.size() == destinations.size()) {
      return this;
    }
    Request further = with(head, target);
    further.destinations = all;
    return further;
  }

  @Override
  public @Nullable InetAddress transparentClient() {
    boolean own = port.interception() == Interception.TPROXY && !port.proxyHeader();
    return own && stream != null ? connected.getAddress() : null;
  }

  @Override
  public HopProxyHeader proxyHeader(ProxyHeaderVersion version) {
    return stream == null || local == null
        ? HopProxyHeader.own(version)
        : new HopProxyHeader(version, connected, local);
  }

  /** The bytes of each address, see {@link #addressBytes(InetAddress)}; null for null. */
  public static @Nullable List<byte[]> addressBytes(@Nullable List<InetAddress> addresses) {
    return addresses == null ? null : addresses.stream().map(Request::addressBytes).toList();
  }

  /** The 4 or 16 bytes of {@code address}. An IPv4-mapped IPv6 address yields 4 bytes. */
  public static byte[] addressBytes(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (bytes.length == 16 && isMapped(bytes)) {
      return Arrays.copyOfRange(bytes, 12, 16);
    }
    return bytes;
  }

  private static boolean isMapped(byte[] bytes) {
    for (int i = 0; i < 10; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return bytes[10] == (byte) 0xff && bytes[11] == (byte) 0xff;
  }

  @Override
  public byte[] clientAddress() {
    if (client == null) {
      client = addressBytes(connected.getAddress());
    }
    return client;
  }

  @Override
  public byte[] localAddress() {
    return local == null ? NetUtil.LOCALHOST4.getAddress() : addressBytes(local.getAddress());
  }

  @Override
  public int localPort() {
    return local == null ? 0 : local.getPort();
  }

  @Override
  public String portName() {
    return port.name();
  }

  @Override
  public String method() {
    return head.method();
  }

  @Override
  public String scheme() {
    return target.scheme();
  }

  @Override
  public String host() {
    return target.host();
  }

  @Override
  public int port() {
    return target.port();
  }

  @Override
  public String url() {
    return target.url();
  }

  @Override
  public String urlPath() {
    return target.form() == RequestTarget.Form.AUTHORITY
        ? ""
        : new String(
            target.pathBytes(),
            target.pathStart(),
            target.pathEnd() - target.pathStart(),
            java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  @Override
  public Fields requestFields() {
    return head.fields();
  }

  @Override
  public @Nullable Fields replyFields() {
    if (reply == null && stored != null) {
      reply = StoredFields.index(stored.visibleLines());
    }
    return reply;
  }

  @Override
  public int replyStatus() {
    return replyStatus;
  }

  @Override
  public @Nullable List<byte[]> destinationAddresses() {
    return destinations;
  }

  @Override
  public @Nullable String destinationName() {
    return destinationName;
  }

  /** Gives the access rules the name of a host that is given as an address. */
  public void destinationName(String name) {
    destinationName = name;
  }

  /** Gives the access rules a fault of the server's certificate; null: none is decided about. */
  public void certificateFault(@Nullable TlsFault found) {
    fault = found;
  }

  @Override
  public List<String> certificateFaults() {
    if (fault != null) {
      return List.of(fault.squidName());
    }
    return tunnelStep == null
        ? List.of()
        : tunnelStep.faults().stream().map(TlsFault::squidName).toList();
  }

  /** Gives the access rules the step in which {@code ssl_bump} decides about this CONNECT. */
  public void tunnelStep(TunnelStep step) {
    tunnelStep = step;
  }

  @Override
  public int bumpStep() {
    return tunnelStep == null ? 0 : tunnelStep.number();
  }

  @Override
  public String requestedServerName() {
    String name = tunnelStep == null ? null : tunnelStep.serverName();
    return name == null ? host() : name;
  }

  @Override
  public @Nullable List<String> certifiedServerNames() {
    return tunnelStep == null ? null : tunnelStep.certifiedNames();
  }

  @Override
  public boolean isEncrypted() {
    boolean clearHop = record != null && record.attempts > 0 && record.serverTls == null;
    return session != null && !clearHop;
  }

  /** Whether the CONNECT is the proxy's own, see {@link ClientStream#impliesConnect}. */
  public boolean impliesConnect() {
    return stream != null && stream.impliesConnect();
  }

  @Override
  public boolean isOfClient() {
    return stream != null;
  }

  /** Sets what is known about the user, found in {@code logins}. */
  public void login(RequestLogin found, Logins logins) {
    this.login = found;
    this.logins = logins;
  }

  /** What is known about the user, whether a rule has asked or not; null: nobody can log in. */
  public @Nullable RequestLogin foundLogin() {
    return login;
  }

  @Override
  public LoginState login() {
    RequestLogin found = login;
    if (found == null) {
      return LoginState.NO_LOGIN;
    }
    found.ask();
    if (record != null && found.user() != null) {
      record.user = found.user();
    }
    List<Notes.Note> told = found.takeNotes();
    if (!told.isEmpty()) {
      notes(notes.replacing(told));
    }
    if (logins != null && logins.countsAddresses()) {
      found.count(logins, clientAddress(), nowMillis);
    }
    return found.state();
  }

  @Override
  public @Nullable String user() {
    RequestLogin found = login;
    return found != null && found.asked() && found.state() == LoginState.KNOWN
        ? found.user()
        : null;
  }

  @Override
  public @Nullable String proxyCredentials() {
    Fields fields = head.fields();
    boolean forProxy = port.accel() == null && destination == null;
    if (!forProxy || !fields.has(FieldName.PROXY_AUTHORIZATION)) {
      return null;
    }
    int at = fields.first(FieldName.PROXY_AUTHORIZATION);
    boolean several = fields.next(FieldName.PROXY_AUTHORIZATION, at + 1) >= 0;
    return several ? null : fields.value(at);
  }

  @Override
  public @Nullable String externalUser() {
    return helpers == null ? null : helpers.user();
  }

  @Override
  public @Nullable String externalTag() {
    return helpers == null ? null : helpers.tag();
  }

  @Override
  public @Nullable String helperUser() {
    return helpers == null ? null : helpers.user();
  }

  @Override
  public @Nullable String helperCredentials(boolean toOrigin) {
    HelperFacts told = helpers;
    int field = toOrigin ? FieldName.AUTHORIZATION : FieldName.PROXY_AUTHORIZATION;
    if (told == null
        || told.user() == null
        || told.password() == null
        || head.fields().has(field)) {
      return null;
    }
    byte[] clear = (told.user() + ":" + told.password()).getBytes(StandardCharsets.ISO_8859_1);
    return "Basic " + Base64.getEncoder().encodeToString(clear);
  }

  @Override
  public boolean isInAuthorization() {
    return port.accel() != null && destination == null && user() != null;
  }

  @Override
  public boolean hasMoreAddresses(int most, boolean strict) {
    return login != null
        && logins != null
        && login.hasMoreAddresses(logins, most, strict, clientAddress());
  }

  @Override
  public int clientConnections() {
    return connections;
  }

  @Override
  public @Nullable String certificatePem(boolean chain) {
    PeerCertificate certificate = session == null ? null : session.certificate();
    return certificate == null ? null : certificate.pem(chain);
  }

  @Override
  public @Nullable String certificateName(boolean issuer, String attribute) {
    PeerCertificate certificate = session == null ? null : session.certificate();
    return certificate == null ? null : certificate.attribute(issuer, attribute);
  }

  @Override
  public long nowMillis() {
    return nowMillis;
  }
}
