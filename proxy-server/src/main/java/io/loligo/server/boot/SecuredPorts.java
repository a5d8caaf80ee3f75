package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.server.metrics.CertificateExpiry;
import io.loligo.server.metrics.MetricsExport;
import io.loligo.server.port.HttpPort;
import io.loligo.server.tls.PortSecurity;
import io.loligo.server.tls.ServerTls;
import io.loligo.server.tls.TlsDirectives;
import io.loligo.server.tls.TlsProvider;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The TLS of the ports in force: looks for changed files, renews OCSP responses and the keys of
 * session tickets. Thread-safe: any thread but event loops.
 */
final class SecuredPorts implements Part {
  private static final Logger LOG = LoggerFactory.getLogger(SecuredPorts.class);

  /** Interval of the looks whether OCSP responses are old. */
  private static final long OCSP_MINUTES = 10;

  /** Time for which a key seals session tickets. */
  private static final long TICKET_KEY_HOURS = 8;

  /** Interval of the looks whether a reload has set an interval again. */
  private static final long ASK_SECONDS = 10;

  private static final long IDLE_SECONDS = 5;

  private final Supplier<ProxyConfig> config;
  private final PortCertificates certificates;
  private final Supplier<@Nullable NodeCertificate> node;
  private final Consumer<Map<HttpPort, PortSecurity>> loops;
  private final Consumer<Map<HttpPort, PortSecurity>> admin;
  private final Maintenance maintenance;
  private final Looks looks;
  private final Reloader reloader;

  /** Asks OCSP responders, which may take long; its thread ends when it is idle. */
  private final ThreadPoolExecutor responders =
      new ThreadPoolExecutor(
          0,
          1,
          IDLE_SECONDS,
          TimeUnit.SECONDS,
          new LinkedBlockingQueue<>(),
          new DefaultThreadFactory("loligo-ocsp", true));

  /** Guarded by {@code this}. */
  private @Nullable TlsProvider provider;

  /** Guarded by {@code this}. */
  private Map<HttpPort, PortSecurity> inForce = Map.of();

  private volatile boolean stopped;

  /** Schedules the next look, which does not block. */
  interface Looks {
    /** Runs {@code look} in {@code millis}, unless the process stops before. */
    void schedule(Runnable look, long millis);
  }

  /**
   * No port yet.
   *
   * @param config the configuration in force
   * @param certificates made with the source of the provider, which is chosen for the first port
   *     with TLS
   * @param node gives the certificate of the group port; null: there is none
   * @param loops puts the TLS of ports in force on all event loops
   * @param admin puts that of the admin port in force
   * @param maintenance renews OCSP responses and keys
   * @param looks schedules the looks at files
   * @param reloader the looks happen between its reloads
   */
  SecuredPorts(
      Supplier<ProxyConfig> config,
      Function<Supplier<TlsProvider>, PortCertificates> certificates,
      Supplier<@Nullable NodeCertificate> node,
      Consumer<Map<HttpPort, PortSecurity>> loops,
      Consumer<Map<HttpPort, PortSecurity>> admin,
      Maintenance maintenance,
      Looks looks,
      Reloader reloader) {
    this.config = config;
    this.certificates = certificates.apply(this::provider);
    this.node = node;
    this.loops = loops;
    this.admin = admin;
    this.maintenance = maintenance;
    this.looks = looks;
    this.reloader = reloader;
  }

  /** Reads the files, puts them in force, and looks for changes from now on. Once, at the start. */
  void start() throws IOException {
    use(certificates.read(config.get(), Map.of()));
    certificates.warnOfExpiry(inForce(), node.get());
    watch();
    maintenance.every(TimeUnit.MINUTES.toSeconds(OCSP_MINUTES), this::staple);
    maintenance.every(
        TimeUnit.HOURS.toSeconds(TICKET_KEY_HOURS),
        () -> inForce().values().forEach(SecuredPorts::rotateTickets));
  }

  /** The TLS of the ports of {@code wanted}, to be put in force or closed by the caller. */
  Map<HttpPort, PortSecurity> read(ProxyConfig wanted) throws IOException {
    return certificates.read(wanted, inForce());
  }

  /** The TLS of the ports now. */
  synchronized Map<HttpPort, PortSecurity> inForce() {
    return inForce;
  }

  /**
   * {@code fresh} is in force on all loops: puts it in force elsewhere, and releases the former.
   */
  void replace(Map<HttpPort, PortSecurity> fresh) {
    Map<HttpPort, PortSecurity> old;
    synchronized (this) {
      old = inForce;
      inForce = fresh;
    }
    admin.accept(fresh);
    staple();
    old.values().forEach(PortSecurity::close);
  }

  /** The validity of the certificates in force. */
  List<CertificateExpiry> expiries() {
    return certificates.expiries(inForce(), node.get());
  }

  @Override
  public void showMeters(MetricsExport export) {
    export.certificates(this::expiries);
  }

  /** Looks no more. */
  void stop() {
    stopped = true;
  }

  /** The loops have ended: releases everything. */
  @Override
  public void close() {
    inForce().values().forEach(PortSecurity::close);
  }

  /** Chosen when the first port has TLS. */
  private synchronized TlsProvider provider() {
    TlsProvider chosen = provider;
    if (chosen == null) {
      chosen = TlsProvider.choose(config.get().get(TlsDirectives.TLS_PROVIDER));
      provider = chosen;
      LOG.info("TLS: {}", chosen.description());
    }
    return chosen;
  }

  private void use(Map<HttpPort, PortSecurity> fresh) {
    loops.accept(fresh);
    replace(fresh);
  }

  /** Looks for changed files from now on. On the reload's thread, or at the start. */
  private void watch() {
    long millis = config.get().get(TlsDirectives.TLS_CHECK_INTERVAL);
    if (stopped) {
      return;
    }
    // a reload may set an interval again
    long delay = millis == 0 ? TimeUnit.SECONDS.toMillis(ASK_SECONDS) : millis;
    looks.schedule(() -> look(millis > 0), delay);
  }

  private void look(boolean atFiles) {
    if (!stopped) {
      reloader.between(() -> check(atFiles));
    }
  }

  /** On the reload's thread. */
  private void check(boolean files) {
    try {
      if (files && certificates.changed(config.get())) {
        use(certificates.read(config.get(), inForce()));
        LOG.info("files of TLS ports have changed: they were read again");
      }
      certificates.warnOfExpiry(inForce(), node.get());
    } catch (IOException | RuntimeException e) {
      LOG.error(
          "{}; the old files stay in use; next: correct the files, and reload", e.getMessage());
    } finally {
      watch();
    }
  }

  private void staple() {
    if (config.get().get(TlsDirectives.OCSP_STAPLING)) {
      responders.execute(() -> certificates.staple(inForce()));
    }
  }

  private static void rotateTickets(PortSecurity security) {
    ServerTls server = security.server();
    if (server != null) {
      server.rotateTickets();
    }
  }
}
