package io.loligo.cluster.jgroups;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.loligo.cluster.ThreadSteps;
import io.loligo.cluster.discovery.AddressSource;
import io.loligo.cluster.group.Group;
import io.loligo.cluster.group.Member;
import io.loligo.cluster.group.NodeRun;
import io.loligo.cluster.group.View;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** A node of a test, on loopback, with its own steps. Collects views and messages. */
final class Node implements Group.Listener, AutoCloseable {
  private static final long WAIT_SECONDS = 40;

  /** A message with its sender. */
  record Received(NodeRun from, String text) {}

  final ThreadSteps steps;
  final JGroupsGroup group;
  final BlockingQueue<View> views = new LinkedBlockingQueue<>();
  final BlockingQueue<Received> messages = new LinkedBlockingQueue<>();
  final AtomicInteger merges = new AtomicInteger();
  final InetSocketAddress address;

  /** Confined to the steps. */
  private View last = new View(0, List.of());

  Node(String name, InetSocketAddress address, AddressSource source, GroupTls tls, int protocol)
      throws IOException {
    this(name, address, source, tls, protocol, true);
  }

  /** The same; {@code binds} false: another node has the port yet. */
  Node(
      String name,
      InetSocketAddress address,
      AddressSource source,
      GroupTls tls,
      int protocol,
      boolean binds)
      throws IOException {
    this("test", name, address, source, tls, protocol, binds);
  }

  /** The same in the cluster {@code cluster}. */
  Node(
      String cluster,
      String name,
      InetSocketAddress address,
      AddressSource source,
      GroupTls tls,
      int protocol,
      boolean binds)
      throws IOException {
    this.address = address;
    steps = new ThreadSteps("steps-" + name);
    GroupSettings settings =
        new GroupSettings(
            cluster,
            address,
            tls,
            Duration.ofSeconds(5),
            Duration.ofMillis(1_500),
            Duration.ofSeconds(3),
            Duration.ofMillis(200));
    Member own =
        new Member(
            new NodeRun(UUID.randomUUID(), 1),
            name,
            address,
            new InetSocketAddress(address.getAddress(), address.getPort() + 1),
            1,
            false,
            protocol);
    group = new JGroupsGroup(settings, own, source, steps, binds);
  }

  Node start() {
    steps.execute(() -> group.start(this));
    return this;
  }

  /** Free addresses of loopback. */
  static List<InetSocketAddress> addresses(int count) throws IOException {
    List<ServerSocket> sockets = new ArrayList<>();
    List<InetSocketAddress> found = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      sockets.add(socket);
      found.add((InetSocketAddress) socket.getLocalSocketAddress());
    }
    for (ServerSocket socket : sockets) {
      socket.close();
    }
    return found;
  }

  @Override
  public void merged() {
    merges.incrementAndGet();
  }

  @Override
  public void view(View view) {
    last = view;
    views.add(view);
  }

  /** Sends to the member with this address, if the last view has it. */
  void sendTo(InetSocketAddress to, byte[] message) {
    steps.execute(
        () ->
            last.members().stream()
                .filter(member -> member.address().equals(to))
                .forEach(member -> group.send(member.id(), message)));
  }

  @Override
  public void message(NodeRun from, byte[] message) {
    messages.add(new Received(from, new String(message, UTF_8)));
  }

  /** The next view for which {@code wanted} holds; fails if there is none in time. */
  View awaitView(Predicate<View> wanted) throws InterruptedException {
    List<View> seen = new ArrayList<>();
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(WAIT_SECONDS);
    while (true) {
      View view = views.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (view == null) {
        throw new AssertionError("no such view, but " + seen);
      }
      seen.add(view);
      if (wanted.test(view)) {
        return view;
      }
    }
  }

  View awaitSize(int members) throws InterruptedException {
    return awaitView(view -> view.members().size() == members);
  }

  Received awaitMessage() throws InterruptedException {
    Received message = messages.poll(WAIT_SECONDS, TimeUnit.SECONDS);
    if (message == null) {
      throw new AssertionError("no message");
    }
    return message;
  }

  void send(Node to, String text) {
    steps.execute(() -> group.send(to.group.self(), text.getBytes(UTF_8)));
  }

  /** What the group says on its steps. */
  <T> T ask(Callable<T> question) throws Exception {
    CompletableFuture<T> answer = new CompletableFuture<>();
    steps.execute(
        () -> {
          try {
            answer.complete(question.call());
          } catch (Exception e) {
            answer.completeExceptionally(e);
          }
        });
    return answer.get(WAIT_SECONDS, TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    steps.execute(group::close);
    try {
      group.left().get(WAIT_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException | ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    } finally {
      steps.close();
    }
  }
}
