package io.loligo.server.takeover;

import io.loligo.server.transport.InheritedSockets;
import io.loligo.server.transport.ListeningSocket;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The conversation of a starting process with the one in service, which it succeeds. Each call
 * blocks until the other one has answered. Confined to the thread that starts the process.
 *
 * <p>Until {@link #complete} the other one serves: closing this, or the end of this process, leaves
 * it in service.
 */
public final class Takeover implements AutoCloseable {
  private static final int MAX_LINE_BYTES = 8 * 1024;

  /** It closes its directories, which takes 10 s at most, and forces its journals. */
  private static final long PATIENCE_MILLIS = 60_000;

  /** From the end of its connections to the end of the process, which another one may delay. */
  private static final long EXIT_MILLIS = 10_000;

  /** The start of a successor, its conversation, and the work of the other process meanwhile. */
  private static final long SUCCESSOR_MILLIS = 300_000;

  private final Path path;
  private final long exitMillis;
  private final long successorMillis;
  private final EventLoopGroup group;

  /** Lines, descriptors, and at the end the channel itself. */
  private final BlockingQueue<Object> received = new LinkedBlockingQueue<>();

  private final EpollDomainSocketChannel channel;

  /** Number of the process in service; -1 until it has told it. */
  private int incumbent = -1;

  private Takeover(Path path, long exitMillis, long successorMillis) throws IOException {
    this.path = path;
    this.exitMillis = exitMillis;
    this.successorMillis = successorMillis;
    if (!Epoll.isAvailable()) {
      throw new IOException("taking over needs epoll, of Linux: " + Epoll.unavailabilityCause());
    }
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("loligo-takeover", true), EpollIoHandler.newFactory());
    try {
      channel =
          (EpollDomainSocketChannel)
              new Bootstrap()
                  .group(group)
                  .channel(EpollDomainSocketChannel.class)
                  .handler(new Pipeline())
                  .connect(new DomainSocketAddress(path.toString()))
                  .syncUninterruptibly()
                  .channel();
    } catch (Exception e) {
      // Netty throws the checked cause of a failed connect unchanged
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
      throw new NotRunningException(path, e);
    }
    try {
      long user = channel.peerCredentials().uid();
      if (!ProcessUser.current().succeeds(user)) {
        throw new IOException("the process at " + path + " is of another user, " + user);
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  private final class Pipeline extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel opened) {
      opened
          .pipeline()
          .addLast(
              new LineBasedFrameDecoder(MAX_LINE_BYTES),
              new StringDecoder(StandardCharsets.UTF_8),
              new StringEncoder(StandardCharsets.UTF_8),
              new Receiver());
    }
  }

  private final class Receiver extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      received.add(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      received.add(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      context.close();
    }
  }

  /**
   * Connects to the process in service.
   *
   * @param path of its socket
   * @throws NotRunningException if none answers; names the path
   * @throws IOException if it is of another user
   */
  public static Takeover at(Path path) throws IOException {
    return at(path, EXIT_MILLIS, SUCCESSOR_MILLIS);
  }

  /**
   * The same.
   *
   * @param exitMillis time for the end of a process that has ended the conversation
   * @param successorMillis time for {@link #startSuccessor}
   */
  static Takeover at(Path path, long exitMillis, long successorMillis) throws IOException {
    return new Takeover(path.toAbsolutePath(), exitMillis, successorMillis);
  }

  /**
   * Asks for the listening sockets. The other process goes on accepting on them.
   *
   * @param version of this build, for the other one's log
   * @throws IOException if it refuses, with its reason
   */
  public InheritedSockets sockets(String version) throws IOException {
    send(
        new TakeoverMessage(TakeoverMessage.HELLO)
            .with("protocol", TakeoverMessage.PROTOCOL)
            .with("version", version)
            .with("pid", ProcessHandle.current().pid()));
    TakeoverMessage hello = answer(TakeoverMessage.HELLO);
    incumbent = hello.number("pid");
    int count = hello.number("sockets");
    List<TakeoverMessage> described = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      described.add(answer(TakeoverMessage.SOCKET));
    }
    // a read of bytes would lose the descriptors, so they come only when they are asked for
    channel.config().setReadMode(DomainSocketReadMode.FILE_DESCRIPTORS);
    send(new TakeoverMessage(TakeoverMessage.SOCKETS));
    List<ListeningSocket> sockets = new ArrayList<>();
    for (TakeoverMessage one : described) {
      Object descriptor = next();
      if (!(descriptor instanceof FileDescriptor given)) {
        throw new IOException(path + ": no descriptor came (expected: " + count + ")");
      }
      sockets.add(
          new ListeningSocket(
              one.text("use"),
              one.text("host"),
              one.number("port"),
              new Socket(given.intValue()).localAddress(),
              given));
    }
    channel.config().setReadMode(DomainSocketReadMode.BYTES);
    return new InheritedSockets(sockets);
  }

  /**
   * Asks for the store: when this returns, this process may open it.
   *
   * @throws IOException if it is refused, with the reason
   */
  public void takeStore() throws IOException {
    send(new TakeoverMessage(TakeoverMessage.STORE));
    answer(TakeoverMessage.STORE);
  }

  /**
   * Everything is ready: when this returns, the other process accepts no more connections. Waits
   * for its answer as long as it takes: it may have stopped accepting already.
   *
   * @throws IOException if it refuses, with the reason; it serves then
   */
  public void complete() throws IOException {
    send(new TakeoverMessage(TakeoverMessage.READY));
    Object answer;
    try {
      answer = received.take();
    } catch (InterruptedException e) {
      throw interrupted();
    }
    if (answer instanceof String line) {
      check(TakeoverMessage.parse(line), TakeoverMessage.ENDS);
    } else if (!hasExited()) {
      throw new IOException(
          "the process at " + path + " has ended the conversation, and still runs");
    }
    // if it has died, nobody else accepts
  }

  private boolean hasExited() throws IOException {
    // its own number: that of a process in another container
    if (incumbent <= 0 || incumbent == ProcessHandle.current().pid()) {
      return false;
    }
    Optional<ProcessHandle> running = ProcessHandle.of(incumbent);
    if (running.isEmpty()) {
      return true;
    }
    try {
      running.get().onExit().get(exitMillis, TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      throw interrupted();
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  private static IOException interrupted() {
    Thread.currentThread().interrupt();
    return new InterruptedIOException("interrupted");
  }

  /**
   * Makes the process in service start a successor, and waits until that has taken over.
   *
   * @return number of the successor
   * @throws UnknownOutcomeException if that is not known
   * @throws IOException if it has not, with the reason
   */
  public long startSuccessor() throws IOException {
    send(new TakeoverMessage(TakeoverMessage.START));
    TakeoverMessage started = answer(TakeoverMessage.STARTED);
    Object next = poll(successorMillis);
    if (next instanceof String line) {
      TakeoverMessage ended = TakeoverMessage.parse(line);
      if (ended.word().equals(TakeoverMessage.FAILED)) {
        throw new IOException(
            "the new process, "
                + started.text("pid")
                + ", has ended with status "
                + ended.text("status")
                + "; the old one goes on; next: look at its log");
      }
      check(ended, TakeoverMessage.TAKEN_OVER);
      return ended.number("pid");
    }
    throw new UnknownOutcomeException(
        "process "
            + started.text("pid")
            + " was started; it is not known whether it has taken over: the running one "
            + (next == null ? "has not told it in " + successorMillis + " ms" : "has ended")
            + "; next: look at the log");
  }

  /** No process waits for a successor there. */
  public static final class NotRunningException extends IOException {
    private static final long serialVersionUID = 1;

    private NotRunningException(Path path, Exception cause) {
      super("no proxy answers at " + path + (Files.exists(path) ? "" : ": no such socket"), cause);
    }
  }

  /** Nobody has told the outcome: the successor may serve. */
  public static final class UnknownOutcomeException extends IOException {
    private static final long serialVersionUID = 1;

    private UnknownOutcomeException(String message) {
      super(message);
    }
  }

  private void send(TakeoverMessage message) {
    channel.writeAndFlush(message.line()).awaitUninterruptibly();
  }

  private TakeoverMessage answer(String word) throws IOException {
    if (next() instanceof String line) {
      TakeoverMessage answer = TakeoverMessage.parse(line);
      check(answer, word);
      return answer;
    }
    throw new IOException("the process at " + path + " has ended the conversation");
  }

  private void check(TakeoverMessage answer, String word) throws IOException {
    if (answer.word().equals(TakeoverMessage.REFUSED)) {
      throw new IOException("the process at " + path + " refuses: " + answer.text("reason"));
    }
    if (!answer.word().equals(word)) {
      throw new IOException(
          "the process at " + path + " says " + answer.word() + " (expected: " + word + ")");
    }
  }

  private Object next() throws IOException {
    Object message = poll(PATIENCE_MILLIS);
    if (message == null) {
      throw new IOException(
          "the process at " + path + " has not answered in " + PATIENCE_MILLIS + " ms");
    }
    return message;
  }

  private @Nullable Object poll(long millis) throws IOException {
    try {
      return received.poll(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      throw interrupted();
    }
  }

  /** Ends the conversation. Blocks. */
  @Override
  public void close() {
    channel.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
