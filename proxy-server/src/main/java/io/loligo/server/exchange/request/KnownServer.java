package io.loligo.server.exchange.request;

import io.loligo.core.acl.Notes;
import io.loligo.server.record.HierarchyCode;
import io.loligo.server.tls.Fingerprint;
import io.loligo.server.tls.TlsFault;
import io.loligo.server.upstream.CachePeer;
import io.loligo.server.upstream.FetchTimings;
import java.security.cert.X509Certificate;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The server that gets a request, as access rules see it: the way there, the peer, the certificate.
 * Confined to the event loop of the request.
 */
public final class KnownServer {
  /** Null: none is chosen. */
  private @Nullable FetchTimings way;

  /** The peer that is dialled; null: none. */
  private @Nullable CachePeer nextPeer;

  private @Nullable TlsFault fault;
  private @Nullable TunnelStep tunnelStep;

  /** Nothing is known. */
  KnownServer() {}

  /** The facts that a copy of the request starts with: it is sent a way of its own. Null: none. */
  @Nullable KnownServer ofCopy() {
    if (tunnelStep == null) {
      return null;
    }
    KnownServer copy = new KnownServer();
    copy.tunnelStep = tunnelStep;
    return copy;
  }

  /** Sets the way that the request is sent; null: it is not sent. */
  public void way(@Nullable FetchTimings chosen) {
    way = chosen;
  }

  /** Sets the peer that is dialled; null: the origin, or the dialling is over. */
  public void nextPeer(@Nullable CachePeer peer) {
    nextPeer = peer;
  }

  /** Sets the fault of the certificate that rules decide about; null: about none. */
  public void certificateFault(@Nullable TlsFault found) {
    fault = found;
  }

  /** Sets the step in which {@code ssl_bump} decides about this CONNECT. */
  public void tunnelStep(TunnelStep step) {
    tunnelStep = step;
  }

  /** The step in which {@code ssl_bump} decides about this CONNECT; null: it does not. */
  @Nullable TunnelStep tunnelStep() {
    return tunnelStep;
  }

  /** Squid's code of the way. */
  String hierarchyCode() {
    return (way == null ? HierarchyCode.HIER_NONE : way.code).name();
  }

  /** The name of the peer that is dialled or gets the request; null: none. */
  @Nullable String peerName() {
    CachePeer peer = nextPeer != null || way == null ? nextPeer : way.peer;
    return peer == null ? null : peer.name();
  }

  /** Whether the service, set or chain {@code name} was chosen for its response. */
  boolean isAdaptedBy(String name) {
    return way != null && way.adapters.contains(name);
  }

  /** {@code notes}, and the fields that such a service got. */
  Notes noted(Notes notes) {
    return way == null ? notes : notes.including(way.notes);
  }

  /** The SHA-1 digest of its certificate, as {@code AA:BB:...}; null: it is not known. */
  @Nullable String fingerprint() {
    X509Certificate certificate = tunnelStep == null ? null : tunnelStep.certificate();
    if (certificate == null && way != null && way.secured != null) {
      certificate = way.secured.certificate();
    }
    return certificate == null ? null : Fingerprint.sha1(certificate);
  }

  /** Squid's names of the faults of its certificate: the one decided about, or all. */
  List<String> certificateFaults() {
    if (fault != null) {
      return List.of(fault.squidName());
    }
    return tunnelStep == null
        ? List.of()
        : tunnelStep.faults().stream().map(TlsFault::squidName).toList();
  }
}
