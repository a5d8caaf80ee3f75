package io.loligo.server.exchange.settings;

import io.loligo.core.acl.AclInput;
import io.loligo.core.acl.AclList;
import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.SizeLimits;
import io.loligo.server.upstream.StatusSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The values of {@link FetchDirectives} in one configuration. Immutable. */
public final class FetchSettings {
  private static final StatusSet GATEWAY_ERRORS = StatusSet.of(502, 504);
  private static final StatusSet ERRORS = StatusSet.of(403, 500, 501, 502, 503, 504);

  /** {@code collapsed_forwarding}: whether clients share a fetch. */
  public final boolean collapsedForwarding;

  /** {@code collapsed_forwarding_access}: which requests may share a fetch. */
  public final AclList collapsedForwardingAccess;

  /** The local ends of connections, by the request. */
  public final LocalEndRules localEnds;

  /** {@code clientside_tos}, in order; the first that matches holds. */
  private final List<LocalEndRules.PacketNumber> clientClasses;

  /** {@code mark_client_packet}, in order; the first that matches holds. */
  private final List<LocalEndRules.PacketNumber> clientMarks;

  /** {@code qos_flows}; null: there are none. */
  public final @Nullable QosFlows flows;

  /** {@code loligo_next_peer_on}, in order; the first that matches holds. */
  private final List<NextPeerRule> nextPeers;

  /** {@code retry_on_error}: the statuses after which the next hop is asked. */
  private final StatusSet gatewayErrors;

  /** {@code server_pconn_for_nonretriable}. */
  private final AclList riskingKept;

  /** {@code loligo_collapsed_wait}, in milliseconds. */
  public final long collapsedWaitMillis;

  /**
   * {@code range_offset_limit}, in bytes; 0: ranges are forwarded as they are; -1: the whole
   * response is always fetched.
   */
  public final SizeLimits rangeOffsetLimit;

  /** {@code loligo_slice_size}, in bytes; null: nothing is sliced. */
  public final @Nullable SizeLimits sliceSize;

  /** {@code loligo_resume_fetches}: how often a response that breaks off is continued. */
  public final int mostResumptions;

  /** {@code quick_abort_min}, in bytes; -1: every abandoned fetch is finished. */
  public final long quickAbortMinBytes;

  /** {@code quick_abort_max}, in bytes; -1 acts as 0. */
  public final long quickAbortMaxBytes;

  /** {@code quick_abort_pct}, in percent: 0 to 100. */
  public final int quickAbortPercent;

  FetchSettings(ProxyConfig config) {
    collapsedForwarding = config.get(FetchDirectives.COLLAPSED_FORWARDING);
    collapsedForwardingAccess = config.get(FetchDirectives.COLLAPSED_FORWARDING_ACCESS);
    localEnds = LocalEndRules.of(config);
    clientClasses = config.get(FetchDirectives.CLIENTSIDE_TOS);
    clientMarks = config.get(FetchDirectives.MARK_CLIENT_PACKET);
    QosFlows told = config.get(FetchDirectives.QOS_FLOWS);
    flows = told.isNone() ? null : told;
    nextPeers = config.get(FetchDirectives.NEXT_PEER_ON);
    gatewayErrors = config.get(FetchDirectives.RETRY_ON_ERROR) ? ERRORS : GATEWAY_ERRORS;
    riskingKept = config.get(FetchDirectives.PCONN_FOR_NONRETRIABLE);
    collapsedWaitMillis = config.get(FetchDirectives.COLLAPSED_WAIT);
    rangeOffsetLimit = config.get(FetchDirectives.RANGE_OFFSET_LIMIT);
    SizeLimits slices = config.get(FetchDirectives.SLICE_SIZE);
    sliceSize = slices.isForAll(-1) || slices.isForAll(0) ? null : slices;
    mostResumptions = config.get(FetchDirectives.RESUME_FETCHES);
    quickAbortMinBytes = config.get(FetchDirectives.QUICK_ABORT_MIN);
    quickAbortMaxBytes = config.get(FetchDirectives.QUICK_ABORT_MAX);
    quickAbortPercent = config.get(FetchDirectives.QUICK_ABORT_PCT);
  }

  /** Whether {@code config} sets marks of packets. */
  public static boolean marksPackets(ProxyConfig config) {
    return !config.get(FetchDirectives.TCP_OUTGOING_MARK).isEmpty()
        || !config.get(FetchDirectives.MARK_CLIENT_PACKET).isEmpty()
        || config.get(FetchDirectives.QOS_FLOWS).marks() != null;
  }

  /** Whether there are {@code clientside_tos} lines. */
  public boolean classifiesClients() {
    return !clientClasses.isEmpty();
  }

  /** Whether there are {@code mark_client_packet} lines. */
  public boolean marksClients() {
    return !clientMarks.isEmpty();
  }

  /** The TOS byte of packets to the client of {@code request}; null: it stays as it is. */
  public @Nullable Integer clientClass(AclInput request) {
    return first(clientClasses, request);
  }

  /** The mark of packets to the client of {@code request}; null: it stays as it is. */
  public @Nullable Integer clientMark(AclInput request) {
    return first(clientMarks, request);
  }

  private static @Nullable Integer first(List<LocalEndRules.PacketNumber> lines, AclInput request) {
    for (LocalEndRules.PacketNumber line : lines) {
      if (line.access().evaluate(request).allowed()) {
        return line.value();
      }
    }
    return null;
  }

  /** Whether a request that must not be sent twice may be sent on a kept connection. */
  public boolean mayRiskKept(AclInput request) {
    return riskingKept.evaluate(request).allowed();
  }

  /** The statuses after which {@code request}, a GET or HEAD, goes to the next hop. */
  public StatusSet nextPeerOn(AclInput request) {
    for (NextPeerRule rule : nextPeers) {
      if (rule.access().evaluate(request).allowed()) {
        return rule.statuses();
      }
    }
    return gatewayErrors;
  }

  /**
   * Whether a fetch goes on when no client waits for it any more ({@code quick_abort_min}, {@code
   * _max}, {@code _pct}).
   *
   * @param announced bytes of its content
   * @param received bytes that have arrived
   */
  public boolean goesOnAlone(long announced, long received) {
    long left = announced - received;
    if (quickAbortMinBytes < 0 || left <= quickAbortMinBytes) {
      return true;
    }
    return left <= quickAbortMaxBytes && received * 100 > announced * quickAbortPercent;
  }
}
