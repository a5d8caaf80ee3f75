package io.loligo.server.takeover;

import io.loligo.server.transport.ListeningSocket;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.PeerCredentials;
import io.netty.handler.codec.LineBasedFrameDecoder;
import io.netty.handler.codec.string.StringDecoder;
import io.netty.handler.codec.string.StringEncoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Unix socket at which a process in service is taken over. Only its own user and root may
 * connect: the file has the mode 0600, and the kernel tells the user of each peer.
 *
 * <p>The states of a takeover:
 *
 * <pre>
 *   state     entered by   the process in service
 *   NONE      -            serves
 *   OFFERED   hello        serves
 *   STORELESS store        serves without writing to its cache_dirs
 *   OVER      ready        accepts nothing any more
 * </pre>
 *
 * <p>If the successor's connection ends before OVER, the state is NONE again, and the store is
 * taken back. Thread-safe; conversations are confined to the one thread of this socket, which has
 * no other work, so that an {@link Incumbent} may block it.
 */
public final class TakeoverSocket implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(TakeoverSocket.class);

  /** Time of a successor from the first word to the last. */
  private static final long CONVERSATION_MILLIS = 120_000;

  /** Time of a successor that has the store: new connections wait meanwhile. */
  private static final long STORELESS_MILLIS = 15_000;

  private static final int MAX_LINE_BYTES = 8 * 1024;

  /** The kind of a file, as stat(2) tells it. */
  private static final int KIND = 0170000;

  private static final int SOCKET = 0140000;

  private enum State {
    NONE,
    OFFERED,
    STORELESS,
    OVER
  }

  private final Path path;
  private final Incumbent incumbent;
  private final String version;
  private final EventLoopGroup group;
  private final ChannelGroup peers;
  private final ProcessUser user;

  /** Identifies its file. */
  private final Object file;

  private final Channel listener;
  private final long conversationMillis;
  private final long storelessMillis;

  // confined to the thread of the group
  private State state = State.NONE;
  private @Nullable Channel successor;
  private @Nullable Channel waiting;

  private TakeoverSocket(
      Path path, Incumbent incumbent, String version, long conversationMillis, long storelessMillis)
      throws IOException {
    this.path = path;
    this.conversationMillis = conversationMillis;
    this.storelessMillis = storelessMillis;
    this.incumbent = incumbent;
    this.version = version;
    checkKind(path);
    user = ProcessUser.current();
    // a folder that others cannot enter: they can neither connect before the socket has its mode,
    // nor put a link in its place
    Path folder = privateFolder(path);
    Path fresh = folder.resolve("s");
    group =
        new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("loligo-takeover", true), EpollIoHandler.newFactory());
    peers = new DefaultChannelGroup(group.next());
    try {
      listener =
          new ServerBootstrap()
              .group(group)
              .channel(EpollServerDomainSocketChannel.class)
              .childHandler(new Peers())
              .bind(new DomainSocketAddress(fresh.toString()))
              .syncUninterruptibly()
              .channel();
      Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString("rw-------"));
      file = identity(fresh);
      Files.move(fresh, path, StandardCopyOption.ATOMIC_MOVE);
    } catch (Exception e) {
      // Netty throws the checked cause of a failed bind unchanged
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
      Files.deleteIfExists(fresh);
      throw new IOException(path + ": " + e.getMessage(), e);
    } finally {
      Files.deleteIfExists(folder);
    }
  }

  /** A new one beside {@code path}, for this user only. */
  private static Path privateFolder(Path path) throws IOException {
    Path parent = path.getParent();
    if (parent == null) {
      throw new IOException(path + ": is a folder");
    }
    try {
      return Files.createTempDirectory(
          parent,
          ".",
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    } catch (IOException e) {
      throw new IOException(path + ": no folder can be made beside it: " + e, e);
    }
  }

  /** Its device and inode. */
  private static Object identity(Path path) throws IOException {
    return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  /** Only a socket may be replaced. */
  private static void checkKind(Path path) throws IOException {
    if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      int mode = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      if ((mode & KIND) != SOCKET) {
        throw new IOException(path + ": is no socket: remove it, or name another file");
      }
    }
  }

  /**
   * Checks that no other process waits for its successor at {@code path}.
   *
   * @throws IOException one does, or the file is no socket, or that is not known; names the path
   */
  public static void checkFree(Path path) throws IOException {
    checkKind(path);
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false);
      probe.connect(UnixDomainSocketAddress.of(path));
    } catch (ConnectException left) {
      return; // by a process that was killed
    } catch (IOException e) {
      throw new IOException(path + ": " + e.getMessage(), e);
    }
    throw new IOException(
        path + ": another process is to be taken over there: stop it, or name another file");
  }

  /**
   * Listens at {@code path}, in place of another socket. At the first start, call {@link
   * #checkFree} before.
   *
   * @param version of this build, for the log of a successor
   * @throws IOException if it cannot, or if the file is no socket; names the path
   */
  public static TakeoverSocket open(Path path, Incumbent incumbent, String version)
      throws IOException {
    return open(path, incumbent, version, CONVERSATION_MILLIS, STORELESS_MILLIS);
  }

  /**
   * The same.
   *
   * @param conversationMillis time of a successor from the first word to the last
   * @param storelessMillis its time from the store to the last word
   */
  static TakeoverSocket open(
      Path path, Incumbent incumbent, String version, long conversationMillis, long storelessMillis)
      throws IOException {
    if (!Epoll.isAvailable()) {
      throw new IOException(path + ": needs epoll, of Linux: " + Epoll.unavailabilityCause());
    }
    return new TakeoverSocket(
        path.toAbsolutePath(), incumbent, version, conversationMillis, storelessMillis);
  }

  /** Whether a process that takes over, or a command that starts one, is connected. */
  public boolean isInUse() {
    return !peers.isEmpty();
  }

  /** Accepts peers of the same user, and of root. */
  private final class Peers extends ChannelInitializer<EpollDomainSocketChannel> {
    @Override
    protected void initChannel(EpollDomainSocketChannel channel) throws IOException {
      peers.add(channel);
      PeerCredentials peer = channel.peerCredentials();
      if (!user.yieldsTo(peer.uid())) {
        LOG.warn(
            "process {} of user {} may not take over, and was refused; next: use the user of the"
                + " proxy",
            peer.pid(),
            peer.uid());
        channel.close();
        return;
      }
      channel
          .pipeline()
          .addLast(
              new LineBasedFrameDecoder(MAX_LINE_BYTES),
              new StringDecoder(StandardCharsets.UTF_8),
              new StringEncoder(StandardCharsets.UTF_8),
              new Conversation(peer.pid()));
    }
  }

  private final class Conversation extends SimpleChannelInboundHandler<String> {
    private final long peer;
    private List<ListeningSocket> offered = List.of();
    private @Nullable Future<?> deadline;
    private @Nullable Future<?> storelessDeadline;

    Conversation(long peer) {
      this.peer = peer;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, String line) {
      TakeoverMessage message = TakeoverMessage.parse(line);
      String refusal = state == State.OVER ? "it has been taken over" : incumbent.refusal();
      if (refusal != null) {
        refuse(context, refusal);
        return;
      }
      switch (message.word()) {
        case TakeoverMessage.HELLO -> hello(context, message);
        case TakeoverMessage.START -> start(context);
        default -> {
          if (context.channel().equals(successor)) {
            continued(context, message.word());
          } else {
            refuse(context, "a conversation begins with " + TakeoverMessage.HELLO);
          }
        }
      }
    }

    /** A closed connection alone would tell the successor that this process has ended. */
    private Future<?> giveUpAfter(long millis, ChannelHandlerContext context) {
      return context
          .executor()
          .schedule(
              () -> {
                LOG.warn(
                    "process {} has not taken over in {} ms, and is given up; next: look at its"
                        + " log",
                    peer,
                    millis);
                refuse(context, "it has not taken over in " + millis + " ms");
              },
              millis,
              TimeUnit.MILLISECONDS);
    }

    private void refuse(ChannelHandlerContext context, String reason) {
      context.writeAndFlush(TakeoverMessage.refused(reason).line());
      context.close();
    }

    private void hello(ChannelHandlerContext context, TakeoverMessage message) {
      if (state != State.NONE) {
        refuse(context, "another process is taking over");
        return;
      }
      if (message.number("protocol") < 1) {
        refuse(context, "protocol=" + message.text("protocol") + " (expected: 1)");
        return;
      }
      state = State.OFFERED;
      successor = context.channel();
      deadline = giveUpAfter(conversationMillis, context);
      LOG.info("process {} (version {}) begins to take over", peer, message.text("version"));
      offered = incumbent.sockets();
      StringBuilder answer =
          new StringBuilder(
              new TakeoverMessage(TakeoverMessage.HELLO)
                  .with("protocol", TakeoverMessage.PROTOCOL)
                  .with("version", version)
                  .with("pid", ProcessHandle.current().pid())
                  .with("sockets", offered.size())
                  .line());
      for (ListeningSocket socket : offered) {
        answer.append(
            new TakeoverMessage(TakeoverMessage.SOCKET)
                .with("use", socket.use())
                .with("host", socket.host())
                .with("port", socket.port())
                .line());
      }
      context.writeAndFlush(answer.toString());
    }

    private void continued(ChannelHandlerContext context, String word) {
      switch (word) {
        case TakeoverMessage.SOCKETS -> {
          offered.forEach(socket -> context.write(socket.descriptor()));
          context.flush();
        }
        case TakeoverMessage.STORE -> {
          try {
            incumbent.giveStore();
            state = State.STORELESS;
            context.writeAndFlush(new TakeoverMessage(TakeoverMessage.STORE).line());
            storelessDeadline = giveUpAfter(storelessMillis, context);
          } catch (IOException e) {
            refuse(context, String.valueOf(e.getMessage()));
          }
        }
        case TakeoverMessage.READY -> {
          incumbent.handOver(peer);
          state = State.OVER;
          cancelDeadlines();
          context.writeAndFlush(new TakeoverMessage(TakeoverMessage.ENDS).line());
          answerWaiting(new TakeoverMessage(TakeoverMessage.TAKEN_OVER).with("pid", peer));
          listener.close();
        }
        default -> refuse(context, word + " is not known to protocol " + TakeoverMessage.PROTOCOL);
      }
    }

    private void start(ChannelHandlerContext context) {
      if (state != State.NONE || waiting != null) {
        refuse(context, "another process is taking over");
        return;
      }
      Incumbent.Successor started;
      try {
        started = incumbent.start();
      } catch (IOException e) {
        refuse(context, "a successor cannot be started: " + e.getMessage());
        return;
      }
      waiting = context.channel();
      context.writeAndFlush(
          new TakeoverMessage(TakeoverMessage.STARTED).with("pid", started.pid()).line());
      started
          .ended()
          .thenAcceptAsync(status -> startedEnded(context.channel(), status), context.executor());
    }

    private void startedEnded(Channel asked, int status) {
      if (asked.equals(waiting)) {
        answerWaiting(new TakeoverMessage(TakeoverMessage.FAILED).with("status", status));
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      if (context.channel().equals(waiting)) {
        waiting = null;
      }
      cancelDeadlines();
      if (!context.channel().equals(successor) || state == State.OVER) {
        return;
      }
      State before = state;
      state = State.NONE;
      successor = null;
      LOG.warn("process {} has not taken over; this one goes on; next: look at its log", peer);
      if (before == State.STORELESS) {
        incumbent.takeStoreBack(peer);
      } else {
        incumbent.goOn();
      }
    }

    private void cancelDeadlines() {
      if (deadline != null) {
        deadline.cancel(false);
      }
      if (storelessDeadline != null) {
        storelessDeadline.cancel(false);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (cause instanceof IOException) {
        LOG.debug("the conversation with process {} has failed", peer, cause);
      } else {
        LOG.error(
            "the conversation with process {} has failed; next: report this defect, with the trace",
            peer,
            cause);
      }
      refuse(context, "the conversation has failed: " + cause);
    }
  }

  private void answerWaiting(TakeoverMessage answer) {
    Channel asked = waiting;
    waiting = null;
    if (asked != null) {
      asked.writeAndFlush(answer.line());
      asked.close();
    }
  }

  private void removeFile() {
    // after the change it is the successor's, also if the number of the inode is in use again
    if (state != State.OVER) {
      try {
        if (identity(path).equals(file)) {
          Files.delete(path);
        }
      } catch (IOException e) {
        LOG.debug("{} was not removed", path, e);
      }
    }
  }

  /** Stops listening, and removes the file unless it is another process's. Blocks. */
  @Override
  public void close() {
    if (group.isShuttingDown()) {
      return;
    }
    group.submit(this::removeFile).syncUninterruptibly();
    listener.close().syncUninterruptibly();
    // a group that shuts down at once may leave channels open
    peers.close().syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
  }
}
