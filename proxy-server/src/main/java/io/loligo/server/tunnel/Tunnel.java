package io.loligo.server.tunnel;

import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.MemoryLedger;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.WriteBufferWaterMark;

/**
 * Octets relayed between a client and its origin, after a CONNECT or an Upgrade. Confined to the
 * client's event loop, but for {@link TunnelEnd}s of which each is confined to its channel's.
 *
 * <p>A FIN of one side is passed on when all octets before it were written; the tunnel is over when
 * both sides have ended, when one breaks, or when nothing moved for the idle time.
 */
public final class Tunnel {
  private final TunnelEnd client;
  private final TunnelEnd origin;
  private final EventLoop loop;
  private final LoopTimer timer;
  private final long idleMillis;
  private final Listener listener;
  private final Idle idle = new Idle();
  private volatile boolean touched;
  private boolean ended;

  /** Is told of the end. */
  public interface Listener {
    /**
     * The tunnel is over and both connections are closed. Called once, on the client's event loop.
     *
     * @param bytesFromClient octets received from the client
     * @param bytesToClient octets the client's socket took
     */
    void ended(long bytesFromClient, long bytesToClient);
  }

  private final class Idle extends LoopTimer.Timeout {
    @Override
    protected void expired() {
      if (touched) {
        touched = false;
        timer.arm(this, idleMillis);
      } else {
        over();
      }
    }
  }

  private Tunnel(
      Detached client,
      Detached origin,
      LoopTimer timer,
      long idleMillis,
      int bufferBytes,
      MemoryLedger transit,
      Listener listener) {
    this.loop = client.channel().eventLoop();
    this.timer = timer;
    this.idleMillis = idleMillis;
    this.listener = listener;
    this.client = new TunnelEnd(this, client.channel(), transit);
    this.origin = new TunnelEnd(this, origin.channel(), transit);
    this.client.pair(this.origin);
    configure(client.channel(), bufferBytes);
    configure(origin.channel(), bufferBytes);
  }

  /**
   * Relays from now on. Takes both connections with their early octets. On the client's event loop;
   * the origin's connection lives on the same one, or nothing was asked to be read from it yet.
   *
   * @param timer of the client's event loop
   * @param idleMillis time without any octet after which the tunnel ends; 0: never
   * @param bufferBytes octets held in each direction
   * @param transit ledger of what is held
   */
  public static Tunnel start(
      Detached client,
      Detached origin,
      LoopTimer timer,
      long idleMillis,
      int bufferBytes,
      MemoryLedger transit,
      Listener listener) {
    Tunnel tunnel = new Tunnel(client, origin, timer, idleMillis, bufferBytes, transit, listener);
    assert tunnel.loop.inEventLoop();
    timer.arm(tunnel.idle, idleMillis);
    tunnel.client.attach();
    tunnel.origin.attach();
    // early octets of one side are written by the other, so both are in place first
    tunnel.client.start(client.early());
    tunnel.origin.start(origin.early());
    return tunnel;
  }

  private static void configure(Channel channel, int bufferBytes) {
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    channel.config().setOption(ChannelOption.AUTO_READ, false);
    channel
        .config()
        .setWriteBufferWaterMark(new WriteBufferWaterMark(bufferBytes / 2, bufferBytes));
  }

  /** Ends the tunnel now. On the client's event loop. */
  public void abort() {
    over();
  }

  /** Octets moved. Any of the two loops. */
  void touch() {
    if (loop.inEventLoop()) {
      if (!ended) {
        timer.arm(idle, idleMillis);
      }
    } else {
      touched = true;
    }
  }

  /** Both directions have ended, or one broke. Any of the two loops. */
  void over() {
    if (!loop.inEventLoop()) {
      loop.execute(this::over);
      return;
    }
    if (ended) {
      return;
    }
    ended = true;
    timer.forget(idle);
    origin.close();
    client.close();
    listener.ended(client.receivedBytes(), client.writtenBytes());
  }
}
