package io.loligo.bench.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Do clients notice that nodes of a shared cache fail, come and go? Three proxies in processes of
 * their own, an origin that takes 20 ms, and clients in a closed loop at nodes 0 and 1 with objects
 * by Zipf's law. Node 2 is killed, stopped for 11 s, joined by a fourth, and drained. Prints a row
 * of Markdown for each. With an older jar, it also replaces three nodes of mode=purge one by one.
 *
 * <pre>
 * java -cp proxy-bench/target/benchmarks.jar \
 *   io.loligo.bench.cluster.ClusterFaults proxy-server/target/loligo.jar [CLIENTS [OLDER.jar]]
 * </pre>
 *
 * <p>All fetches of a phase count, so its hit ratio is lower where responses were lost with a node.
 * A purge while node 2 is stopped must hold when it is back: otherwise the run fails.
 */
public final class ClusterFaults {
  private static final int OBJECTS = 5_000;
  private static final int CONTENT_BYTES = 4_096;
  private static final int CLIENTS = 32;
  private static final int WARM_UP_MILLIS = 30_000;
  private static final int PHASE_MILLIS = 10_000;
  private static final int BEFORE_MILLIS = 2_000;
  private static final int STOPPED_MILLIS = 11_000;
  private static final int PURGED = 100;

  private final Path dir = Files.createTempDirectory("cluster");
  private final Path jar;
  private final int clients;
  private final List<NodeProcess> nodes = new ArrayList<>();
  private final CountedOrigin origin = new CountedOrigin(OBJECTS, CONTENT_BYTES);

  private ClusterFaults(Path jar, int clients) throws IOException {
    this.jar = jar;
    this.clients = clients;
    for (int i = 0; i < 4; i++) {
      nodes.add(new NodeProcess(dir, i));
    }
  }

  /** Takes the jar, the number of clients, and an older jar. */
  public static void main(String[] args) throws IOException, InterruptedException {
    int clients = args.length > 1 ? Integer.parseInt(args[1]) : CLIENTS;
    System.out.println(
        "%d clients, %d objects of %d bytes, Zipf 0.9\n"
            .formatted(clients, OBJECTS, CONTENT_BYTES));
    System.out.println(
        "| phase | responses | p50 ms | p99 ms | longest ms | errors | hit ratio |"
            + " most fetches of an object at a time |");
    System.out.println("| --- | --- | --- | --- | --- | --- | --- | --- |");
    ClusterFaults share = new ClusterFaults(Path.of(args[0]), clients);
    share.run(share::faults);
    if (args.length > 2) {
      ClusterFaults purge = new ClusterFaults(Path.of(args[0]), clients);
      purge.run(() -> purge.replace(Path.of(args[2])));
    }
  }

  /** A part of the run. */
  private interface Part {
    void run() throws IOException, InterruptedException;
  }

  private void run(Part part) throws IOException, InterruptedException {
    try (origin) {
      part.run();
    } finally {
      nodes.forEach(NodeProcess::end);
    }
  }

  private void start(int number, String mode, Path what) throws IOException {
    nodes.get(number).start(what, mode, nodes.subList(0, Math.max(3, number + 1)));
  }

  private void awaitMembers(int members, int... numbers) throws IOException, InterruptedException {
    for (int number : numbers) {
      nodes.get(number).awaitMembers(members);
    }
  }

  private void faults() throws IOException, InterruptedException {
    for (int i = 0; i < 3; i++) {
      start(i, "share", jar);
    }
    awaitMembers(3, 0, 1, 2);
    try (ZipfClients load = new ZipfClients(origin, OBJECTS)) {
      load.add(nodes.get(0).port(), clients / 2);
      load.add(nodes.get(1).port(), clients - clients / 2);
      Thread.sleep(WARM_UP_MILLIS);
      phase(load, "nothing happens", () -> Thread.sleep(PHASE_MILLIS));
      phase(load, "kill -9 of node 2", this::kill);
      start(2, "share", jar);
      awaitMembers(3, 0, 1, 2);
      Thread.sleep(WARM_UP_MILLIS / 2);
      phase(load, "SIGSTOP of node 2 for 11 s", this::stop);
      checkPurged();
      phase(load, "nothing happens", () -> Thread.sleep(PHASE_MILLIS));
      phase(load, "node 3 joins", this::join);
      phase(load, "node 2 drains", this::drain);
    }
  }

  private void kill() throws IOException, InterruptedException {
    Thread.sleep(BEFORE_MILLIS);
    nodes.get(2).signal("KILL");
    Thread.sleep(PHASE_MILLIS - BEFORE_MILLIS);
  }

  private void stop() throws IOException, InterruptedException {
    Thread.sleep(BEFORE_MILLIS);
    nodes.get(2).signal("STOP");
    Thread.sleep(STOPPED_MILLIS);
    for (int object = 0; object < PURGED; object++) {
      origin.change(object);
      purge(0, object);
    }
    nodes.get(2).signal("CONT");
    awaitMembers(3, 0, 1, 2);
  }

  private String purge(int number, int object) throws IOException {
    try (HttpConnection connection = new HttpConnection(nodes.get(number).port())) {
      String reached = connection.ask("PURGE", origin.url(object)).field("Loligo-Purged");
      return reached == null ? "" : reached.replaceFirst(".*nodes ", "");
    }
  }

  private void checkPurged() throws IOException {
    for (int object = 0; object < PURGED; object++) {
      for (int number = 0; number < 3; number++) {
        try (HttpConnection connection = new HttpConnection(nodes.get(number).port())) {
          HttpConnection.Response response = connection.ask("GET", origin.url(object));
          String present = "\"" + origin.version(object) + "\"";
          if (!present.equals(response.field("ETag"))) {
            throw new IOException("node " + number + " is stale: " + response.head());
          }
        }
      }
    }
  }

  private void join() throws IOException, InterruptedException {
    start(3, "share", jar);
    awaitMembers(4, 0, 1, 2, 3);
    Thread.sleep(PHASE_MILLIS);
  }

  private void drain() throws IOException, InterruptedException {
    nodes.get(2).drain();
    Thread.sleep(PHASE_MILLIS);
  }

  private void replace(Path older) throws IOException, InterruptedException {
    for (int i = 0; i < 3; i++) {
      start(i, "purge", older);
    }
    awaitMembers(3, 0, 1, 2);
    for (int i = 0; i < 3; i++) {
      int replaced = i;
      try (ZipfClients load = new ZipfClients(origin, OBJECTS)) {
        load.add(nodes.get((i + 1) % 3).port(), clients / 2);
        load.add(nodes.get((i + 2) % 3).port(), clients - clients / 2);
        Thread.sleep(BEFORE_MILLIS);
        phase(load, "node " + i + " of mode=purge is replaced", () -> replaceNode(replaced));
      }
      for (int number = 0; number < 3; number++) {
        String reached = purge(number, number);
        if (!reached.equals("3/3")) {
          throw new IOException("a purge of node " + number + " has reached " + reached);
        }
      }
    }
  }

  private void replaceNode(int number) throws IOException, InterruptedException {
    nodes.get(number).signal("TERM");
    nodes.get(number).awaitEnd();
    start(number, "purge", jar);
    awaitMembers(3, 0, 1, 2);
  }

  private void phase(ZipfClients load, String name, Part part)
      throws IOException, InterruptedException {
    load.take();
    origin.takeMost();
    long before = origin.requests();
    part.run();
    ZipfClients.Met met = load.take();
    long fetched = origin.requests() - before;
    System.out.println(
        String.format(
            Locale.ROOT,
            "| %s | %d | %.1f | %.1f | %.0f | %d | %.2f %% | %d |",
            name,
            met.micros().length,
            met.quantile(0.5),
            met.quantile(0.99),
            met.quantile(1),
            met.errors(),
            100.0 - 100.0 * fetched / Math.max(1, met.micros().length),
            origin.takeMost()));
    if (met.example() != null) {
      System.err.println(met.example());
    }
  }
}
