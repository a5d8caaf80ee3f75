package io.loligo.server.tunnel;

import io.loligo.server.shaping.Limit;
import io.loligo.server.time.LoopTimer;
import io.loligo.store.memory.MemoryLedger;
import io.loligo.store.memory.MemoryShortage;
import io.netty.channel.EventLoop;
import org.jspecify.annotations.Nullable;

/**
 * Bytes relayed between a client and its origin, after a CONNECT or an Upgrade. Confined to the
 * client's event loop, except for the {@link TunnelEnd}s, each of which is confined to its
 * stream's.
 *
 * <p>A FIN of one side is passed on when all bytes before it were written. The tunnel ends when
 * both sides have ended, when one fails, or when no byte moved for the idle time.
 */
public final class Tunnel {
  private final TunnelEnd client;
  private final TunnelEnd origin;
  private final EventLoop loop;
  private final LoopTimer timer;
  private final long idleMillis;
  private final MemoryShortage shortage;
  private final Listener listener;
  private final Idle idle = new Idle();
  private volatile boolean touched;
  private boolean ended;

  /** Told of the end. */
  public interface Listener {
    /**
     * The tunnel has ended and both streams are closed. Called once, on the client's event loop.
     *
     * @param bytesFromClient bytes received from the client
     * @param bytesToClient bytes that the client's socket took
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
      ByteStream client,
      ByteStream origin,
      LoopTimer timer,
      long idleMillis,
      MemoryShortage shortage,
      Listener listener) {
    this.loop = client.loop();
    this.timer = timer;
    this.idleMillis = idleMillis;
    this.shortage = shortage;
    this.listener = listener;
    this.client = new TunnelEnd(this, client);
    this.origin = new TunnelEnd(this, origin);
    this.client.pair(this.origin);
  }

  /**
   * Relays from now on. Takes both streams. On the client's event loop; the origin's stream has the
   * same one, or no read of it was requested yet.
   *
   * @param limit of the bytes to the client; null: none
   * @param timer of the client's event loop
   * @param idleMillis time without any byte after which the tunnel ends; 0: never
   * @param bufferBytes bytes held in each direction
   * @param transit ledger of the held bytes
   */
  public static Tunnel start(
      ByteStream client,
      ByteStream origin,
      @Nullable Limit limit,
      LoopTimer timer,
      long idleMillis,
      int bufferBytes,
      MemoryLedger transit,
      Listener listener) {
    Tunnel tunnel = new Tunnel(client, origin, timer, idleMillis, transit.shortage(), listener);
    assert tunnel.loop.inEventLoop();
    if (limit != null) {
      tunnel.client.limit(limit, transit);
    }
    timer.arm(tunnel.idle, idleMillis);
    client.attach(tunnel.client, bufferBytes, transit);
    origin.attach(tunnel.origin, bufferBytes, transit);
    // early bytes of one side are written by the other, so both are in place first
    tunnel.client.start();
    tunnel.origin.start();
    return tunnel;
  }

  /** Ends the tunnel now. On the client's event loop. */
  public void abort() {
    over();
  }

  /** Told of a lack of memory at an end. */
  MemoryShortage shortage() {
    return shortage;
  }

  /** Bytes moved. Either loop. */
  void touch() {
    if (loop.inEventLoop()) {
      if (!ended) {
        timer.arm(idle, idleMillis);
      }
    } else {
      touched = true;
    }
  }

  /** Both directions have ended, or one failed. Either loop. */
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
    client.dropDelayed();
    origin.close();
    client.close();
    listener.ended(client.receivedBytes(), client.writtenBytes());
  }
}
