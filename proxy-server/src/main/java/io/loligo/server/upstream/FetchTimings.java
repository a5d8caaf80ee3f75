package io.loligo.server.upstream;

import io.loligo.core.acl.Notes;
import io.loligo.server.record.ExchangeRecord;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.record.HopTls;
import io.loligo.server.record.IcapTransaction;
import io.loligo.server.record.Stage;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The destination of a fetch and the durations of its stages. Confined to the fetch's event loop.
 */
public final class FetchTimings {
  /** The code of the last hop; HIER_NONE before any. */
  public HierarchyCode code = HierarchyCode.HIER_NONE;

  /** The cache_peer of that hop, or null. */
  public @Nullable CachePeer peer;

  /** The node of the cluster that this hop is, or null. */
  public @Nullable ClusterNode node;

  /** Textual address of it, or null. */
  public @Nullable String address;

  public int port;

  /** The proxy's end of the connection, or null. */
  public @Nullable InetSocketAddress local;

  /** TLS on the connection; null: clear text. */
  public @Nullable HopTls secured;

  /** The class of IP packets on the connection, 0 to 255. */
  public int trafficClass;

  /** Netfilter's mark of packets on the connection; 0: none. */
  public int mark;

  /** Nanoseconds resolving, all hops together; -1, here and below: the stage did not occur. */
  public long dnsNanos = -1;

  /** Nanoseconds connecting, all successful dials together. */
  public long connectNanos = -1;

  /** Nanoseconds from the request's head being written to the response's first byte. */
  public long firstByteNanos = -1;

  /** Nanoseconds from the request's head being written to the response's last byte. */
  public long lastByteNanos = -1;

  /** Bytes on the wire, heads included. */
  public long bytesIn;

  public long bytesOut;

  /** Whether a kept connection was used. */
  public boolean reused;

  /** Connections dialled. */
  public int attempts;

  /** Kept connections tried. */
  public int kept;

  /** The name of the service, set or chain that was chosen for the response, and of its members. */
  public Set<String> adapters = Set.of();

  /** Fields that such a service got with the response, as notes. */
  public List<Notes.Note> notes = List.of();

  /** Transactions with services that adapted the response; null: none. */
  public @Nullable List<IcapTransaction> adaptations;

  /** Writes the hop, and the time until its connection was established, into {@code record}. */
  public void describe(ExchangeRecord record) {
    record.hierarchy = code;
    record.nextHop = address;
    record.nextHopPort = port;
    record.peerName = peer == null ? null : peer.name();
    record.nextHopLocal = local;
    record.nextHopTrafficClass = trafficClass;
    record.nextHopMark = mark;
    record.serverTls = secured;
    record.attempts = attempts + kept;
    record.responseAdaptations = adaptations;
    if (!notes.isEmpty()) {
      record.notes = (record.notes == null ? Notes.NONE : record.notes).including(notes);
    }
    stage(record, Stage.DNS, dnsNanos);
    stage(record, Stage.PROXY_CONNECT, connectNanos);
  }

  /** Records a stage, if it occurred. */
  public static void stage(ExchangeRecord record, Stage stage, long nanos) {
    if (nanos >= 0) {
      record.stage(stage, nanos);
    }
  }
}
