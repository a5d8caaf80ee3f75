package io.loligo.server.boot;

import io.loligo.core.config.ConfigProblem;
import io.loligo.core.config.ConfigResult;
import io.loligo.core.config.LineReport;
import io.loligo.core.config.ProxyConfig;
import io.loligo.server.admin.AdminDirectives;
import io.loligo.server.cluster.ClusterCertificates;
import io.loligo.server.cluster.ClusterDirectives;
import io.loligo.server.cluster.ClusterLine;
import io.loligo.server.cluster.ClusterTlsLine;
import io.loligo.server.port.HttpPort;
import io.loligo.server.port.PortDirectives;
import io.loligo.server.takeover.TakeoverSocket;
import io.loligo.server.transport.TransportDirectives;
import io.loligo.store.disk.DiskSettings;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for which this machine lets a configuration without errors not start. A start ends
 * with the first one that it meets; this names the others too, so that an operator corrects all at
 * once. Stateless.
 */
public final class StartProblems {
  private StartProblems() {}

  /**
   * One line for each folder, file and port that is not available now, and for a pid file that
   * names another running process. Makes missing folders, as a start does.
   */
  public static List<String> of(ProxyConfig config) {
    List<String> problems = new ArrayList<>(CacheFolders.problems(DiskSettings.of(config)));
    problems.addAll(Places.problems(config));
    for (String path : PortCertificates.paths(config)) {
      if (!Files.isReadable(Path.of(path))) {
        problems.add(path + ": this file of a port's certificate cannot be read");
      }
    }
    String copy = runningCopy(config.get(ProcessDirectives.PID_FILENAME));
    if (copy != null) {
      problems.add(copy);
    }
    String waiting = copy == null ? waitingForSuccessor(config) : null;
    if (waiting != null) {
      problems.add(waiting);
    }
    HttpPort admin = config.get(AdminDirectives.ADMIN_PORT);
    if (admin != null && !admin.address().isEmpty()) {
      IOException why = taken(admin);
      if (why != null) {
        problems.add(
            "loligo_admin_port " + admin.address() + ":" + admin.port() + ": " + why.getMessage());
      }
    }
    for (HttpPort port : PortDirectives.ports(config)) {
      IOException why = taken(port);
      if (why != null) {
        problems.add(port.source() + ": cannot listen on " + port.name() + ": " + why);
      }
    }
    problems.addAll(ofCluster(config));
    return problems;
  }

  private static List<String> ofCluster(ProxyConfig config) {
    ClusterLine line = config.get(ClusterDirectives.CLUSTER);
    if (line == null) {
      return List.of();
    }
    List<String> problems = new ArrayList<>();
    IOException why = taken(line.listen().address(), line.listen().port());
    if (why != null) {
      problems.add(
          line.source() + ": loligo_cluster " + line.listen().text() + ": " + why.getMessage());
    }
    ClusterTlsLine tls = config.get(ClusterDirectives.TLS);
    if (tls != null) {
      problems.addAll(ofCertificates(tls));
    }
    return problems;
  }

  private static List<String> ofCertificates(ClusterTlsLine tls) {
    List<String> reasons = new ArrayList<>();
    for (String path : List.of(tls.cert(), tls.key(), tls.ca())) {
      if (!Files.isReadable(Path.of(path))) {
        reasons.add(path + ": it cannot be read");
      }
    }
    String unusable = reasons.isEmpty() ? unusable(tls) : null;
    if (unusable != null) {
      reasons.add(unusable);
    }
    return reasons.stream()
        .map(reason -> tls.source() + ": loligo_cluster_tls: " + reason)
        .toList();
  }

  /** The reason for which the files of {@code tls} cannot be used; null: they can. */
  private static @Nullable String unusable(ClusterTlsLine tls) {
    try {
      ClusterCertificates.read(tls, Instant.now());
      return null;
    } catch (IOException e) {
      Throwable reason = e.getCause() == null ? e : e.getCause();
      return reason.getMessage();
    }
  }

  /**
   * Adds an error to {@code read} if the certificates of its cluster cannot be used. Blocks: reads
   * files.
   */
  public static ConfigResult checkCluster(ConfigResult read) {
    ProxyConfig config = read.config();
    ClusterTlsLine tls = config == null ? null : config.get(ClusterDirectives.TLS);
    String unusable = tls == null ? null : unusable(tls);
    if (tls == null || unusable == null) {
      return read;
    }
    int colon = tls.source().lastIndexOf(':');
    String file = tls.source().substring(0, colon);
    int number = Integer.parseInt(tls.source().substring(colon + 1));
    List<ConfigProblem> problems = new ArrayList<>(read.problems());
    problems.add(
        new ConfigProblem(
            ConfigProblem.Severity.ERROR,
            file,
            number,
            "loligo_cluster_tls",
            unusable,
            "",
            "give files that this user can read, and a certificate that is valid now"));
    return new ConfigResult(
        null,
        List.copyOf(problems),
        read.lines().stream()
            .map(
                line ->
                    line.line() == number && line.file().equals(file)
                        ? new LineReport(
                            file, number, line.text(), LineReport.Verdict.ERROR, unusable)
                        : line)
            .toList());
  }

  /**
   * A refusal if {@code pidFile} has the number of another process that runs and is a JVM; null: it
   * does not. After a restart of the machine, the number may be that of another program.
   */
  static @Nullable String runningCopy(@Nullable String pidFile) {
    if (pidFile == null || pidFile.equals("none") || !Files.isReadable(Path.of(pidFile))) {
      return null;
    }
    try {
      long number = Long.parseLong(Files.readString(Path.of(pidFile)).strip());
      Optional<ProcessHandle> other = ProcessHandle.of(number).filter(ProcessHandle::isAlive);
      boolean isJava =
          other
              .flatMap(process -> process.info().command())
              .map(program -> Path.of(program).endsWith("java"))
              .orElse(false);
      return !isJava || number == ProcessHandle.current().pid()
          ? null
          : "pid_filename "
              + pidFile
              + ": process "
              + number
              + " is running: stop it, or name another file";
    } catch (IOException | NumberFormatException foreign) {
      return null;
    }
  }

  /** A refusal if the place of {@code config} for a successor cannot be used; null: it can. */
  static @Nullable String waitingForSuccessor(ProxyConfig config) {
    Path place = TakeoverPlace.of(config);
    if (place == null) {
      return null;
    }
    try {
      if (TransportDirectives.transport(config).sockets().areInheritable()) {
        TakeoverSocket.checkFree(place);
      }
      return null;
    } catch (IOException e) {
      return "loligo_takeover_socket " + e.getMessage();
    }
  }

  private static @Nullable IOException taken(HttpPort port) {
    return port.port() == 0 ? null : taken(port.address(), port.port());
  }

  /** Null: the port is free. It is bound for a moment, and does not listen. */
  private static @Nullable IOException taken(String address, int port) {
    try (Socket probe = new Socket()) {
      probe.setReuseAddress(true);
      probe.bind(
          address.isEmpty()
              ? new InetSocketAddress(port)
              : new InetSocketAddress(InetAddress.getByName(address), port));
      return null;
    } catch (IOException e) {
      return e;
    }
  }
}
