package io.loligo.server.record;

import io.loligo.core.acl.AclInput;
import io.loligo.core.caching.CacheDecision;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.core.message.RequestTarget;
import io.loligo.core.message.ResponseHead;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;

/**
 * All that is known of one exchange when it ends: written along its way, read once by the access
 * log, the counters and the histograms, then reused. Confined to the client's event loop.
 *
 * <p>Fields are plain and public on purpose: this is a record in the accountant's sense, with no
 * behaviour to protect.
 *
 * <p>A fact that most exchanges have is a field here. Facts of one feature that most exchanges lack
 * (a login, TLS, a sibling's answer, adaptation) are one immutable record, which one field here
 * refers to. The field is null where the feature took no part, so that it costs such an exchange
 * nothing but {@link #clear} of one field. A fact about the client's connection is made once for
 * the connection, and each of its exchanges refers to it.
 */
public final class ExchangeRecord {
  /** Method of an exchange without a request, as Squid logs it. */
  public static final String NO_METHOD = "-";

  /** Stage not passed through. */
  public static final long NOT_MEASURED = -1;

  private final long[] stageNanos = new long[Stage.values().length];

  /** A record as {@link #clear} leaves it. */
  public ExchangeRecord() {
    clear();
  }

  /** Wall clock at the end, milliseconds since the epoch. */
  public long endMillis;

  /** Wall clock when the head was parsed, milliseconds since the epoch. */
  public long startMillis;

  /** Monotonic clock when the head was parsed. */
  public long startNanos;

  /** Client address as connected; null never. */
  public InetSocketAddress client;

  /** The indirect client where X-Forwarded-For is trusted, else the connected one. Text. */
  public String clientText;

  public InetSocketAddress local;

  /** Name of the port the request came in by. */
  public String portName;

  /** The request's head, valid until the record is handed over returns; null before one parsed. */
  public RequestHead request;

  /** The target taken apart, valid as long as {@link #request}; null before one parsed. */
  public RequestTarget target;

  /** Method as logged, {@link #NO_METHOD} where no request was read. */
  public String method;

  /**
   * Effective URI as logged where {@link #target} does not say it, such as {@code
   * error:invalid-request}; null: take it from the target. Credentials are never part of it.
   */
  public String url;

  /** Status sent, 0 when none was. */
  public int status;

  public LogTag tag;
  public boolean collapsed;
  public boolean aborted;
  public boolean timedOut;

  /** Whether it was cut because the client took too little of its answer in too long a time. */
  public boolean tookTooSlowly;

  public HierarchyCode hierarchy;

  /** Address of the next hop, textual, or null. */
  public String nextHop;

  public int nextHopPort;

  /** Our own end of the connection to the next hop, or null. */
  public InetSocketAddress nextHopLocal;

  /** Connections tried for the fetch; 0 without one. */
  public int attempts;

  /** Status received from the next hop; 0 without one. */
  public int serverStatus;

  /** Bytes really written to the client's socket, head included. */
  public long clientBytesOut;

  /** Bytes of response head among them. */
  public long clientHeadBytesOut;

  /** Bytes read from the client, head included. */
  public long clientBytesIn;

  public long serverBytesIn;
  public long serverBytesOut;

  /** Bytes of content among {@link #serverBytesIn}; -1 where nothing was fetched. */
  public long serverContentBytesIn;

  /** Content-Type as sent, without allocation where unknown: null. */
  public String contentType;

  /** Hash of the key that was looked up; both 0 where none was. */
  public long keyHigh;

  public long keyLow;

  public CacheDecision decision;

  /** Why the answer that was fetched was not stored, a constant; null where it was, or none was. */
  public String refusal;

  public HitClass hitClass;

  /** Whether the stored response was loaded from disk. */
  public boolean fromDisk;

  /** Whether the disk was asked and not waited for. */
  public boolean diskLate;

  /** Whether the answer went on before a disk had forgotten what it makes invalid. */
  public boolean invalidationLate;

  /** The reply's head as sent on or stored, for reply-field log codes; may be null. */
  public ResponseHead reply;

  /** Squid's ERR_ name of the error page sent, or null. */
  public String errorCode;

  /** Reason for refusals and failures, for the operator; or null. */
  public String errorDetail;

  /** What was wrong about the request as a message, or null. */
  public ParseFailure requestFailure;

  /** Why the request was turned away, or null. */
  public Shed shed;

  /** Number of the client's connection in this process; 0: none given. */
  public long connectionId;

  /** What the ACLs at the end of an access_log line ask; null: every line takes the record. */
  public AclInput acl;

  /**
   * Tells the destination's addresses as far as they are known when it is asked, else null; itself
   * null where no line needs them.
   */
  public Supplier<List<byte[]>> known;

  /** Starts over. */
  public void clear() {
    Arrays.fill(stageNanos, NOT_MEASURED);
    endMillis = 0;
    startMillis = 0;
    startNanos = 0;
    client = null;
    clientText = null;
    local = null;
    portName = null;
    request = null;
    target = null;
    method = null;
    url = null;
    status = 0;
    tag = LogTag.NONE_NONE;
    collapsed = false;
    aborted = false;
    timedOut = false;
    tookTooSlowly = false;
    hierarchy = HierarchyCode.HIER_NONE;
    nextHop = null;
    nextHopPort = 0;
    nextHopLocal = null;
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
    connectionId = 0;
    acl = null;
    known = null;
  }

  /** Keeps how long a stage took. */
  public void stage(Stage stage, long nanos) {
    stageNanos[stage.ordinal()] = nanos;
  }

  /** Nanoseconds of a stage, or {@link #NOT_MEASURED}. */
  public long stage(Stage stage) {
    return stageNanos[stage.ordinal()];
  }
}
