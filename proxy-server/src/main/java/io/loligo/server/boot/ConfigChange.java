package io.loligo.server.boot;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.config.Reconfiguration;
import io.loligo.server.accesslog.AccessLog;
import io.loligo.server.admin.Reloaded;
import io.loligo.server.transport.Transport;
import io.loligo.store.disk.DirectoryChange;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Applies another configuration: whole, or not at all (ADR 9). Steps that may fail come first:
 * names, logs, folders of the store, the admin port, ports. Then the loops take everything, and the
 * rest follows. Called by one thread at a time, none of the event loops.
 */
final class ConfigChange {
  private static final Logger LOG = LoggerFactory.getLogger(ConfigChange.class);

  private final Transport transport;
  private final InForce inForce;
  private final Loops loops;
  private final Ports ports;
  private final AdminPort admin;
  private final Logs logs;
  private final Storage storage;
  private final CacheMemory cacheMemory;
  private final AclAdditions additions;
  private final ClusterPart cluster;
  private final Parts parts;

  /** Null: nothing but tests runs this proxy, or it is starting. */
  private volatile @Nullable ProcessFiles files;

  /** {@code parts} are told at the end. */
  ConfigChange(
      Transport transport,
      InForce inForce,
      Loops loops,
      Ports ports,
      AdminPort admin,
      Logs logs,
      Storage storage,
      CacheMemory cacheMemory,
      AclAdditions additions,
      ClusterPart cluster,
      Parts parts) {
    this.transport = transport;
    this.inForce = inForce;
    this.loops = loops;
    this.ports = ports;
    this.admin = admin;
    this.logs = logs;
    this.storage = storage;
    this.cacheMemory = cacheMemory;
    this.additions = additions;
    this.cluster = cluster;
    this.parts = parts;
  }

  /** The files that move from now on. */
  void files(ProcessFiles ofProcess) {
    files = ofProcess;
  }

  /**
   * Puts {@code wanted} in force, and returns the report.
   *
   * @throws IOException if that is not possible; nothing has changed then
   */
  Reloaded apply(ProxyConfig wanted) throws IOException {
    ProxyConfig before = inForce.config();
    MemoryFit memory = MemoryFit.of(wanted);
    ProxyConfig fitted = memory.budget().fits() ? memory.config() : wanted;
    Reconfiguration change = Reconfiguration.of(before, Places.of(fitted));
    ProxyConfig now = cacheMemory.fitted(change.config());
    MarkCheck.check(now, transport);
    InForce.Next next = inForce.under(now);
    Runnable certificates = cluster.renewed();
    additions.prepare(now);
    AccessLog log = logs.under(before, now);
    Ports.Change newPorts;
    AdminPort.Change newAdmin = null;
    ProcessFiles.Change newFiles = null;
    ProcessFiles moved = files;
    DirectoryChange disks = null;
    try {
      disks = storage.prepare(now);
      newAdmin = admin.prepare(now);
      newFiles = moved == null ? null : moved.prepare(wanted, now);
      newPorts = ports.prepare(now);
      exchange(next.terms(), log, newPorts);
    } catch (IOException | RuntimeException | Error e) {
      logs.discard(log);
      if (disks != null) {
        disks.close();
      }
      if (newAdmin != null) {
        newAdmin.cancel();
      }
      if (newFiles != null) {
        newFiles.cancel();
      }
      throw e;
    }
    // the loops work with it: whatever fails now, the rest follows
    finish("the admin port", newAdmin::commit); // before its certificates, which the ports have
    finish("the ports", newPorts::commit);
    finish("the configuration in force", () -> inForce.replace(next));
    finish("the logs", () -> logs.replace(log));
    if (newFiles != null) {
      finish("the files of the process", newFiles::commit);
    }
    finish("the certificates of the cluster", certificates);
    parts.reconfigured(before, now);
    finish("the admin port", newAdmin::accept);
    DirectoryChange others = disks;
    finish("the directories", () -> storage.commit(others)); // last, because it takes a while
    return Reloaded.done(Reconfiguration.applied(before, now), change.later());
  }

  /** Takes a step after the last one that may fail; a defect in it is logged. */
  static void finish(String what, Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      LOG.error(
          "reload: {} did not change as a whole, everything else did; next: report this defect,"
              + " with the trace, and restart",
          what,
          e);
    }
  }

  private void exchange(LoopTerms terms, AccessLog log, Ports.Change newPorts) {
    try {
      loops.use(terms, log, newPorts.ports(), newPorts.tls());
    } catch (RuntimeException | Error e) {
      goBack(e);
      newPorts.cancel();
      throw e;
    }
  }

  /** Returns all loops to the configuration in force: some may have taken the new one already. */
  private void goBack(Throwable failure) {
    try {
      loops.use(inForce.termsAgain(), logs.current(), ports.inUse(), ports.tls());
    } catch (RuntimeException | Error again) {
      failure.addSuppressed(again);
    }
  }
}
