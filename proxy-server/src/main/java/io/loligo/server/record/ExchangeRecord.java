package io.loligo.server.record;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclVerdict;
import io.loligo.core.acl.Notes;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import io.loligo.server.tls.SessionFacts;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The facts of one exchange: written along its way, read once at its end by the access log, the
 * counters and the histograms, then reused. Confined to the client's event loop.
 *
 * <p>Fields are plain and public on purpose: the record has no behaviour to protect.
 *
 * <p>A fact that most exchanges have is a field here. Facts of one feature that most exchanges lack
 * (a login, TLS, a sibling's answer, adaptation) are one immutable record, to which one field here
 * refers. The field is null if the feature took no part, so that it costs such an exchange only the
 * {@link #clear} of one field. A fact about the client's connection is made once for the
 * connection, and each of its exchanges refers to it.
 */
public final class ExchangeRecord {
  /** Method of an exchange without a request, as Squid logs it. */
  public static final String NO_METHOD = "-";

  /** A stage that did not occur. */
  public static final long NOT_MEASURED = -1;

  private static final long NANOS_IN_MICRO = 1_000;

  /** The bits of the stages in sequence. */
  private static final int SEQUENCE = sequence();

  private final long[] stageNanos = new long[Stage.values().length];

  /** A bit for each stage that has a time, by its ordinal. */
  private int stages;

  /** A record in the state after {@link #clear}. */
  @SuppressWarnings("NullAway.Init") // as for clear
  public ExchangeRecord() {
    clear();
  }

  /** Wall clock at the end, milliseconds since the epoch. */
  public long endMillis;

  /** Wall clock when the head was parsed, milliseconds since the epoch. */
  public long startMillis;

  /** Monotonic clock when the head was parsed. */
  public long startNanos;

  /** Monotonic clock at the end of the last stage of the sequence. */
  private long lapNanos;

  /** Client address as connected; never null. */
  public InetSocketAddress client;

  /** The client as logged: the indirect one if its proxies are trusted. Text. */
  public String clientText;

  public @Nullable InetSocketAddress local;

  /** The header of the PROXY protocol as fields; null: none. */
  public @Nullable Fields proxyHeader;

  /** TLS with the client; null: none. */
  public @Nullable SessionFacts session;

  /**
   * Name of the user that a rule asked for, each character one byte, perhaps with a wrong password;
   * null: none.
   */
  public @Nullable String user;

  /** Name of the port that got the request. */
  public String portName;

  /**
   * The request's head, valid until the record is handed over returns; null before one was parsed.
   */
  public @Nullable RequestHead request;

  /** The parsed target, valid as long as {@link #request}; null before one was parsed. */
  public @Nullable RequestTarget target;

  /** Method as logged, {@link #NO_METHOD} if no request was read. */
  public String method;

  /**
   * Effective URI as logged if {@link #target} does not have it, such as {@code
   * error:invalid-request}; null: take it from the target. Credentials are never part of it.
   */
  public @Nullable String url;

  /** Status sent, 0 when none was. */
  public int status;

  public LogTag tag;
  public boolean collapsed;

  /** The exchange whose fetch answered, where {@link #collapsed}; null: its own, or none. */
  public @Nullable ExchangeId fetchedBy;

  public boolean aborted;
  public boolean timedOut;

  /** Whether it was cut because the client took its response too slowly. */
  public boolean tookTooSlowly;

  /** Whether the origin answered a validation with a whole response of equal validators. */
  public boolean repeated;

  /**
   * Whether its fetch went on without it: the facts here are those until then, and the fetch is
   * told by itself at its end.
   */
  public boolean leftFetch;

  /** Whether another node of the cluster asked, which counts its client's request itself. */
  public boolean ofNode;

  /** Whether this node asked itself, before it owned keys: nobody is told of the exchange. */
  public boolean isOwnRequest;

  /** The purges that the response to another node tells; null: none, or another client. */
  public @Nullable String peerPurges;

  /**
   * Whether the client waited for a validation of an expired response, which the origin does not
   * let be served meanwhile (stale-while-revalidate), without a demand that it be validated.
   */
  public boolean waitedForValidation;

  public HierarchyCode hierarchy;

  /** Whether some peer that was asked for the response has not answered in time. */
  public boolean peersTimedOut;

  /** Address of the next hop, textual, or null. */
  public @Nullable String nextHop;

  public int nextHopPort;

  /** Name of the cache_peer that was asked; null: none. */
  public @Nullable String peerName;

  /** The proxy's own end of the connection to the next hop, or null. */
  public @Nullable InetSocketAddress nextHopLocal;

  /** The class of IP packets to the next hop (RFC 2474), 0 to 255. */
  public int nextHopTrafficClass;

  /** Netfilter's mark of packets to the next hop; 0: none. */
  public int nextHopMark;

  /** The traffic class of packets to the client, from 0 to 255; 0: the system's. */
  public int clientTrafficClass;

  /** Netfilter's mark of packets to the client; 0: none. */
  public int clientMark;

  /** The number of this exchange among those of its event loop, from 1; 0: it has none. */
  public long number;

  /** The first part of its own id, see {@link RequestId}; the same for all of an event loop. */
  public long idPrefix;

  /** The id that a trusted client has given, see {@link RequestId#isAcceptable}; null: none. */
  public @Nullable String givenId;

  /**
   * The line of rules that admitted the request, or denied it or its response; null: none was
   * asked.
   */
  public @Nullable AclVerdict rule;

  /** Transactions with services that adapted the request; null: none. */
  public @Nullable List<IcapTransaction> requestAdaptations;

  /** The same for the response to the next hop's request; null: none. */
  public @Nullable List<IcapTransaction> responseAdaptations;

  /** The transaction that a line of icap_log is about; null: it is a line of access_log. */
  public @Nullable IcapTransaction icap;

  /** What helpers of ACLs have told, beside {@link #notes}; null: nothing. */
  public @Nullable HelperFacts helpers;

  /** Names with values from helpers and rules; null: none. */
  public @Nullable Notes notes;

  /** The request that a rewriter made of {@link #request}; null: it was not rewritten. */
  public @Nullable RewrittenRequest rewritten;

  /** Facts of an inspected tunnel; null: it is none. */
  public @Nullable TunnelFacts tunnel;

  /** TLS on the connection to the next hop; null: clear text, or no connection. */
  public @Nullable HopTls serverTls;

  /** Connections tried for the fetch or the tunnel, kept ones included; 0 without one. */
  public int attempts;

  /** Status received from the next hop; 0 without one. */
  public int serverStatus;

  /** Bytes written to the client's socket, head included. */
  public long clientBytesOut;

  /** Bytes of response head among them. */
  public long clientHeadBytesOut;

  /** Bytes read from the client, head included. */
  public long clientBytesIn;

  public long serverBytesIn;
  public long serverBytesOut;

  /** Bytes of content among {@link #serverBytesIn}; -1 if nothing was fetched. */
  public long serverContentBytesIn;

  /** Content-Type as sent; null if that would take an allocation, or is unknown. */
  public @Nullable String contentType;

  /** Hash of the key that was looked up; both 0 if none was. */
  public long keyHigh;

  public long keyLow;

  public @Nullable CacheDecision decision;

  /**
   * Why the fetched response was not stored, or why the handshake with its origin failed, a
   * constant; null if it was stored, or none was fetched.
   */
  public @Nullable String refusal;

  public HitClass hitClass;

  /** Whether the stored response was loaded from disk. */
  public boolean fromDisk;

  /** Whether the disk was asked but did not answer in time. */
  public boolean diskLate;

  /**
   * Whether the response was sent before a disk had forgotten the responses that it invalidates.
   */
  public boolean invalidationLate;

  /** The response's head as sent on or stored, for log codes of response fields; may be null. */
  public @Nullable ResponseHead reply;

  /** Squid's ERR_ name of the error page sent, or null. */
  public @Nullable String errorCode;

  /** Reason for refusals and failures, for the operator; or null. */
  public @Nullable String errorDetail;

  /** The syntax or framing error of the request, or null. */
  public @Nullable ParseFailure requestFailure;

  /** Why the request was refused, or null. */
  public @Nullable Shed shed;

  /** The input of the ACLs at the end of an access_log line; null: every line takes the record. */
  public @Nullable AclInput acl;

  /**
   * Gives the destination's addresses as far as they are known when it is called, else null; itself
   * null if no line needs them.
   */
  public @Nullable Supplier<@Nullable List<byte[]>> known;

  /** The way the response was fetched, as Squid's log has it. */
  public String hierarchyText() {
    return peersTimedOut ? "TIMEOUT_" + hierarchy.name() : hierarchy.name();
  }

  private static int sequence() {
    int bits = 0;
    for (Stage stage : Stage.values()) {
      bits |= stage.inSequence() ? 1 << stage.ordinal() : 0;
    }
    return bits;
  }

  /** Starts over. */
  @SuppressWarnings("NullAway") // the facts that are never null are written before it is read
  public void clear() {
    stages = 0;
    endMillis = 0;
    startMillis = 0;
    startNanos = 0;
    lapNanos = 0;
    client = null;
    clientText = null;
    local = null;
    proxyHeader = null;
    session = null;
    user = null;
    portName = null;
    request = null;
    target = null;
    method = null;
    url = null;
    status = 0;
    tag = LogTag.NONE_NONE;
    collapsed = false;
    fetchedBy = null;
    aborted = false;
    timedOut = false;
    tookTooSlowly = false;
    repeated = false;
    leftFetch = false;
    ofNode = false;
    isOwnRequest = false;
    peerPurges = null;
    waitedForValidation = false;
    hierarchy = HierarchyCode.HIER_NONE;
    peersTimedOut = false;
    nextHop = null;
    nextHopPort = 0;
    peerName = null;
    nextHopLocal = null;
    nextHopTrafficClass = 0;
    nextHopMark = 0;
    clientTrafficClass = 0;
    clientMark = 0;
    number = 0;
    idPrefix = 0;
    givenId = null;
    rule = null;
    requestAdaptations = null;
    responseAdaptations = null;
    icap = null;
    helpers = null;
    notes = null;
    rewritten = null;
    tunnel = null;
    serverTls = null;
    attempts = 0;
    serverStatus = 0;
    clientBytesOut = 0;
    clientHeadBytesOut = 0;
    clientBytesIn = 0;
    serverBytesIn = 0;
    serverBytesOut = 0;
    serverContentBytesIn = -1;
    contentType = null;
    keyHigh = 0;
    keyLow = 0;
    decision = null;
    refusal = null;
    hitClass = HitClass.OWN_ANSWER;
    fromDisk = false;
    diskLate = false;
    invalidationLate = false;
    reply = null;
    errorCode = null;
    errorDetail = null;
    requestFailure = null;
    shed = null;
    acl = null;
    known = null;
  }

  /** Records the duration of a stage. */
  public void stage(Stage stage, long nanos) {
    stageNanos[stage.ordinal()] = nanos;
    stages |= 1 << stage.ordinal();
  }

  /**
   * The sequence of stages begins, or continues from the one before.
   *
   * @param nanos monotonic clock
   */
  public void startLap(long nanos) {
    lapNanos = nanos;
  }

  /** Monotonic clock at the end of the last stage of the sequence. */
  public long lapNanos() {
    return lapNanos;
  }

  /**
   * Ends a stage of the sequence, which took the time since the one before ended; adds to earlier
   * times of the same stage.
   *
   * @param nanos monotonic clock
   */
  public void lap(Stage stage, long nanos) {
    addTo(stage, nanos - lapNanos);
    lapNanos = nanos;
  }

  /** Adds {@code nanos} to the duration of {@code stage}. */
  public void addTo(Stage stage, long nanos) {
    stage(stage, Math.max(0, stage(stage)) + nanos);
  }

  /**
   * The id of this exchange: that of a trusted client, else its own, a new string; null: it has
   * none.
   */
  public @Nullable String requestId() {
    return givenId != null || number == 0 ? givenId : RequestId.text(idPrefix, number);
  }

  /** Takes the id of {@code other}, of which this record describes a part. */
  public void takeIdOf(ExchangeRecord other) {
    number = other.number;
    idPrefix = other.idPrefix;
    givenId = other.givenId;
  }

  /** Gives the finished exchange its final class. */
  public void classify() {
    hitClass = HitClass.refined(this);
  }

  /** Whether the next hop has answered on a connection without TLS. */
  public boolean isAnsweredInClear() {
    return serverStatus > 0 && serverTls == null;
  }

  /** Nanoseconds of a stage, or {@link #NOT_MEASURED}. */
  public long stage(Stage stage) {
    return (stages & (1 << stage.ordinal())) == 0 ? NOT_MEASURED : stageNanos[stage.ordinal()];
  }

  /**
   * Microseconds of a stage, or {@link #NOT_MEASURED}. Those of the stages in sequence add up to
   * those of {@link Stage#TOTAL}, although each is cut.
   */
  public long stageMicros(Stage stage) {
    long nanos = stage(stage);
    if (nanos < 0) {
      return NOT_MEASURED;
    }
    long before = 0;
    if (stage.inSequence()) {
      int earlier = stages & SEQUENCE & ((1 << stage.ordinal()) - 1);
      for (; earlier != 0; earlier &= earlier - 1) {
        before += stageNanos[Integer.numberOfTrailingZeros(earlier)];
      }
    }
    return (before + nanos) / NANOS_IN_MICRO - before / NANOS_IN_MICRO;
  }

  /** The stages that have a time: the bit of each is its ordinal. */
  public int stages() {
    return stages;
  }
}
