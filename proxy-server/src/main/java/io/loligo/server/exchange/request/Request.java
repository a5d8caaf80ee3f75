package io.loligo.server.exchange.request;

import io.loligo.core.acl.ExternalAcl;
import io.loligo.core.acl.LoginState;
import io.loligo.core.acl.Notes;
import io.loligo.core.caching.StoredFields;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.Fields;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.core.message.StoreId;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.login.Logins;
import io.loligo.server.login.RequestLogin;
import io.loligo.server.port.Destination;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HelperFacts;
import io.loligo.server.record.RewrittenRequest;
import io.loligo.server.tls.SessionFacts;
import io.loligo.server.trace.CausedTrace;
import io.loligo.store.memory.StoredResponse;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A request and the facts known about it: its stream, head, target, content length and the facts
 * that access rules need. Confined to the client's event loop.
 *
 * <p>An event loop reuses one object for all requests. A request that must wait continues as a
 * {@link #snapshot}, with copies of its head and target.
 */
public final class Request extends RuledRequest {
  private @Nullable ClientStream stream;
  private @Nullable ExchangeRecord record;
  private Set<String> adapters = Set.of();
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
  private KnownDestination known;

  /** The name of a host given as an address; null: not looked up. */
  private @Nullable String destinationName;

  private byte @Nullable [] client;

  /** Null: no server is known yet. */
  private @Nullable KnownServer server;

  /** The user, as far as known; null: nobody can log in. */
  private @Nullable RequestLogin login;

  private @Nullable Logins logins;
  private long nowMillis;
  private int nextStep;
  private boolean unsliced;
  private boolean fromNode;
  private boolean owned;

  /** The id of the exchange that caused a request in the background; null: none. */
  private @Nullable String causeId;

  /** The trace of a request in the background; null: none. */
  private @Nullable CausedTrace trace;

  /** Null: no helper is configured. */
  private @Nullable HelperAnswers helpers;

  private boolean adapted;
  private AdaptationFacts adaptation = AdaptationFacts.NONE;

  private Notes notes;

  private @Nullable RewrittenRequest rewritten;

  /** The name of the client's address; null: not looked up. */
  private @Nullable String clientName;

  /** The MAC address of the client, or the empty string; null: not looked up. */
  private @Nullable String clientHardware;

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
    this.known = KnownDestination.UNKNOWN;
    this.destinationName = null;
    this.client = null;
    this.server = null;
    this.login = null;
    this.logins = null;
    this.nextStep = 0;
    this.unsliced = false;
    this.fromNode = false;
    this.owned = false;
    this.causeId = null;
    this.trace = null;
    this.adapted = false;
    this.adaptation = AdaptationFacts.NONE;
    if (helpers != null) {
      helpers.clear();
    }
    this.adapters = Set.of();
    this.notes = Notes.NONE;
    this.rewritten = null;
    this.clientName = null;
    this.clientHardware = null;
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
    request.known = KnownDestination.UNKNOWN;
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
    copy.known = known;
    copy.destinationName = destinationName;
    copy.client = client;
    copy.adapters = adapters;
    copy.server = server == null ? null : server.ofCopy();
    copy.login = login;
    copy.logins = logins;
    copy.nowMillis = nowMillis;
    copy.nextStep = nextStep;
    copy.unsliced = unsliced;
    copy.fromNode = fromNode;
    copy.causeId = causeId;
    copy.trace = trace;
    copy.adapted = adapted;
    copy.adaptation = adaptation;
    copy.helpers = helpers == null ? null : helpers.copy();
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
   *
   * @param itsTrace null: none
   */
  public Request inBackground(@Nullable CausedTrace itsTrace) {
    Request copy = asGet();
    copy.causeId = requestId();
    copy.trace = itsTrace;
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

  /**
   * The id of the exchange, or of the one that caused this request in the background; a new string.
   * Null for a request by {@link #asked}.
   */
  public @Nullable String requestId() {
    return record == null ? causeId : record.requestId();
  }

  /** The trace of a request in the background; null: it has none. */
  public @Nullable CausedTrace trace() {
    return trace;
  }

  @Override
  public void peersTimedOut() {
    if (record != null) {
      record.peersTimedOut = true;
    }
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

  /** {@inheritDoc} It stays valid only in a {@link #snapshot}; otherwise it is borrowed. */
  @Override
  public RequestHead head() {
    return head;
  }

  /** {@inheritDoc} It stays valid only in a {@link #snapshot}. */
  @Override
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

  /** What the services so far leave for later ones. */
  public AdaptationFacts adaptation() {
    return adaptation;
  }

  /** Sets {@link #adaptation()}. */
  public void adaptation(AdaptationFacts facts) {
    adaptation = facts;
  }

  /** The number of the next admission step, from 0. A request that has waited continues there. */
  public int nextStep() {
    return nextStep;
  }

  /** Sets {@link #nextStep()}. */
  public void nextStep(int number) {
    nextStep = number;
  }

  /**
   * Another node of the cluster sends it, for a client that asked that node's {@code asked}: the
   * rules for that port of this node hold.
   */
  public void isOfNode(HttpPort asked) {
    fromNode = true;
    port = asked;
  }

  /**
   * Whether another node of the cluster sends it. That node has applied the rules about its client,
   * and applies those about the response; this one forwards it to no further node.
   */
  @Override
  public boolean isFromNode() {
    return fromNode;
  }

  /** Whether the request must be answered without slices, see {@link #unsliced}. */
  public boolean isUnsliced() {
    return unsliced;
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
  public long connectionMark() {
    return stream == null ? 0 : stream.connectionMark();
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

  @Override
  @Nullable ExchangeRecord noted() {
    return record;
  }

  @Override
  @Nullable SessionFacts session() {
    return session;
  }

  @Override
  public @Nullable InetSocketAddress local() {
    return local;
  }

  @Override
  @Nullable KnownServer knownServer() {
    return server;
  }

  /** The server that gets this request. Rules see the facts that it is told. */
  public KnownServer server() {
    if (server == null) {
      server = new KnownServer();
    }
    return server;
  }

  /** Services with {@code names} adapt it: the one chosen, and the members of a set or chain. */
  public void adaptedBy(Set<String> names) {
    adapters = names;
  }

  @Override
  public boolean isAdaptedBy(String name) {
    return adapters.contains(name) || (server != null && server.isAdaptedBy(name));
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
  @Override
  public @Nullable Destination destination() {
    return destination;
  }

  /** The answers of helpers. Only where a helper is configured: other requests have none. */
  public HelperAnswers helperAnswers() {
    if (helpers == null) {
      helpers = new HelperAnswers();
    }
    return helpers;
  }

  @Override
  public ExternalAcl.Answer external(ExternalAcl acl) {
    return helpers == null ? ExternalAcl.Answer.UNDECIDED : helpers.external(this, acl);
  }

  /** Stores responses to this snapshot under {@code id}. */
  public void storedAs(StoreId id) {
    assert owned : "the parser may use the target again";
    target.storedAs(id);
  }

  @Override
  public Notes notes() {
    return server == null ? notes : server.noted(notes);
  }

  /** Sets {@link #notes()}, also in the record. */
  @Override
  public void notes(Notes replaced) {
    notes = replaced;
    if (record != null) {
      record.notes = replaced;
    }
  }

  @Override
  HelperFacts told() {
    return helpers == null ? HelperFacts.NONE : helpers.facts();
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
      known = KnownDestination.UNKNOWN;
      destinationName = null;
    }
  }

  @Override
  public @Nullable RewrittenRequest rewritten() {
    return rewritten;
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
    known = known.at(addresses == null ? null : AddressBytes.of(addresses));
  }

  /**
   * A direct hop goes to {@code address} from now on. Access rules see that address as the
   * destination.
   *
   * @param conflict whether the host in the URL does not lead to {@code address}
   */
  public void pin(InetSocketAddress address, boolean conflict) {
    known = known.pinnedTo(address, conflict);
  }

  @Override
  public @Nullable InetSocketAddress pinned() {
    return known.pinned();
  }

  @Override
  public boolean hostConflicts() {
    return known.conflict();
  }

  @Override
  public Request withAliases() {
    List<byte[]> all = known.withAliases();
    if (all == null) {
      return this;
    }
    Request further = with(head, target);
    further.known = known.at(all);
    return further;
  }

  @Override
  public byte[] clientAddress() {
    if (client == null) {
      client = AddressBytes.of(connected.getAddress());
    }
    return client;
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
    return known.addresses();
  }

  @Override
  public @Nullable String destinationName() {
    return destinationName;
  }

  /** Gives the access rules the name of a host that is given as an address. */
  public void destinationName(String name) {
    destinationName = name;
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

  @Override
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
  public long nowMillis() {
    return nowMillis;
  }
}
