package io.loligo.server.downstream.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.loligo.core.config.ProxyConfig;
import io.loligo.core.message.ContentLength;
import io.loligo.core.message.FieldLines;
import io.loligo.core.message.Fields;
import io.loligo.core.message.ParseFailure;
import io.loligo.core.message.RequestHead;
import io.loligo.server.config.Configs;
import io.loligo.server.downstream.connection.ClientAddresses;
import io.loligo.server.downstream.connection.ClientConnection;
import io.loligo.server.downstream.connection.ClientConnections;
import io.loligo.server.downstream.connection.ClientDirectives;
import io.loligo.server.downstream.connection.ClientSettings;
import io.loligo.server.downstream.connection.ListeningPort;
import io.loligo.server.exchange.client.ClientEvents;
import io.loligo.server.exchange.client.ClientStream;
import io.loligo.server.exchange.client.OutgoingHead;
import io.loligo.server.exchange.client.RequestHandler;
import io.loligo.server.metrics.ProxyMetrics;
import io.loligo.server.port.HttpPort;
import io.loligo.server.record.Shed;
import io.loligo.server.time.LoopTimer;
import io.loligo.server.time.Pace;
import io.loligo.server.time.TimeSource;
import io.loligo.server.time.TimeoutDirectives;
import io.loligo.server.transport.ResponseTally;
import io.loligo.server.transport.ScriptedChannel;
import io.loligo.server.transport.WriteTally;
import io.loligo.server.tunnel.ByteStream;
import io.loligo.store.memory.MemoryLedger;
import io.netty.buffer.ByteBuf;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Several exchanges at once on one connection, in a syntax made up for this: the common parts know
 * no version of HTTP.
 */
class ExchangeStreamTest {
  private static final ProxyConfig CONFIG =
      Configs.of("")
          .with(ClientDirectives.CLIENT_LIFETIME, 0L)
          .with(TimeoutDirectives.READ_TIMEOUT, 5_000L)
          .with(ClientDirectives.MIN_REQUEST_RATE, 0)
          .with(ClientDirectives.MIN_ANSWER_RATE, 0);
  private static final HttpPort PORT = Configs.port("3128");

  private final ScriptedChannel channel = new ScriptedChannel();
  private final List<String> records = new ArrayList<>();
  private final ClientConnections connections =
      new ClientConnections(
          channel.eventLoop(),
          new LoopTimer(channel.eventLoop()),
          TimeSource.SYSTEM,
          new Noting(),
          record -> records.add(record.method + ' ' + record.status + ' ' + record.aborted),
          new ClientAddresses(),
          new ProxyMetrics(1).loop(0).connections(),
          new MemoryLedger(1 << 20),
          new ClientSettings(CONFIG),
          0);
  private final Connection connection = new Connection();

  ExchangeStreamTest() {
    channel.run(() -> channel.pipeline().addLast(connection));
  }

  @AfterEach
  void nothingIsLeft() {
    channel.discard();
    channel.pass(200);
    assertThat(channel.usedBytes()).isZero();
    assertThat(connections.open()).isZero();
  }

  /** Lets every request wait, and records its events. */
  private static final class Noting implements RequestHandler {
    @Override
    public ClientEvents request(ClientStream stream, RequestHead head, long contentLength) {
      return ((Stream) stream).events;
    }

    @Override
    public ClientEvents shed(ClientStream stream, long contentLength, Shed why) {
      throw new AssertionError(why);
    }

    @Override
    public void refused(ClientStream stream, ParseFailure failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void headTimedOut(ClientStream stream) {
      throw new AssertionError();
    }
  }

  private static final class Events implements ClientEvents {
    private final List<String> log = new ArrayList<>();

    @Override
    public void content(ByteBuf content) {
      log.add(content.toString(StandardCharsets.US_ASCII));
      content.release();
    }

    @Override
    public void contentEnd(Fields trailers) {
      log.add("end");
    }

    @Override
    public void contentFailed(ParseFailure failure) {
      log.add("failed " + failure);
    }

    @Override
    public void writable() {
      log.add("writable");
    }

    @Override
    public void gone() {
      log.add("gone");
    }
  }

  private final class Connection extends ClientConnection {
    private final List<Stream> streams = new ArrayList<>();

    Connection() {
      super(connections, new ListeningPort(PORT), new InetSocketAddress(0));
    }

    Stream request() {
      Stream stream = new Stream(streams.size() + 1);
      streams.add(stream);
      channel.run(stream::serve);
      return stream;
    }

    @Override
    protected void attached() {}

    @Override
    protected void opened() {}

    @Override
    protected void refused() {}

    @Override
    protected void gone() {
      for (Stream stream : streams) {
        if (stream.running) {
          stream.running = false;
          stream.clientGone(false);
        }
      }
    }

    @Override
    protected void releaseOwn() {
      streams.forEach(ExchangeStream::release);
    }

    @Override
    protected void breakOff(boolean timedOut) {
      gone();
      channel.close();
    }

    @Override
    protected void drain() {}

    @Override
    protected boolean tunnels() {
      return false;
    }
  }

  /** A stream whose messages look like {@code <1 200>} and {@code <1 content>}. */
  private final class Stream extends ExchangeStream implements ContentSource {
    private final int number;
    private final Events events = new Events();
    private final Writer writer = new Writer(this);
    private final WriteTally tally =
        new WriteTally(connection.channel()) {
          @Override
          protected void progressed() {
            written();
          }
        };
    private final ArrayDeque<String> arrived = new ArrayDeque<>();
    private boolean contentEnds;
    private boolean running;

    Stream(int number) {
      super(connection);
      this.number = number;
    }

    void serve() {
      running = true;
      begin(null, 10, 0);
      expect(this, false);
      handle(new RequestHead(), ContentLength.UNKNOWN);
    }

    void arrives(String content) {
      channel.run(
          () -> {
            arrived.add(content);
            inputArrived();
          });
    }

    void endsContent() {
      contentEnds = true;
      channel.run(this::inputArrived);
    }

    private void write(String text) {
      ByteBuf out = allocator().directBuffer();
      out.writeCharSequence("<" + number + ' ' + text + '>', StandardCharsets.US_ASCII);
      tally.write(connection.channel().pipeline().firstContext(), out);
    }

    void answer(int status) {
      channel.run(
          () -> {
            head(OutgoingHead.of(status, new FieldLines(0)).content(0, true));
            flush();
          });
    }

    @Override
    public Step next() {
      if (!arrived.isEmpty()) {
        return Step.DATA;
      }
      return contentEnds ? Step.END : Step.NEED_MORE;
    }

    @Override
    public ByteBuf take() {
      ByteBuf content = allocator().directBuffer();
      content.writeCharSequence(arrived.poll(), StandardCharsets.US_ASCII);
      return content;
    }

    @Override
    public boolean ended() {
      return contentEnds && arrived.isEmpty();
    }

    @Override
    public long bytesIn() {
      return 0;
    }

    @Override
    public Pace pace() {
      return null;
    }

    @Override
    public Fields trailers() {
      return null;
    }

    @Override
    public ParseFailure failure() {
      return null;
    }

    @Override
    protected boolean running() {
      return running;
    }

    @Override
    protected boolean tunnelling() {
      return false;
    }

    @Override
    protected ResponseWriter writer() {
      return writer;
    }

    @Override
    protected void writeHead(OutgoingHead head) {
      writer.headWritten();
      write(Integer.toString(head.status()));
    }

    @Override
    protected ResponseTally tally() {
      return tally;
    }

    @Override
    protected boolean flushWrites() {
      channel.flush();
      return true;
    }

    @Override
    protected boolean takesMore() {
      return channel.isWritable();
    }

    @Override
    protected boolean contentAtHand() {
      return !arrived.isEmpty() || contentEnds;
    }

    @Override
    protected boolean inputEnded() {
      return false;
    }

    @Override
    protected void readMore() {}

    @Override
    protected void dropInput() {
      arrived.clear();
    }

    @Override
    protected void contentComplete() {}

    @Override
    protected void breakOff(boolean timedOut) {
      running = false;
      clientGone(timedOut);
    }

    @Override
    protected void progressed() {}

    @Override
    protected void finished() {
      running = false;
    }

    @Override
    protected void closeCut() {
      running = false;
      write("reset");
      channel.flush();
    }

    @Override
    protected void concluding() {}

    @Override
    protected void resumed() {}

    @Override
    protected ByteStream giveAway() {
      throw new AssertionError("no tunnels here");
    }

    @Override
    protected void closeTunnel() {}

    @Override
    protected void tunnelOver() {}
  }

  private static final class Writer extends SilentWriter {
    private final Stream stream;

    Writer(Stream stream) {
      this.stream = stream;
    }

    @Override
    public boolean takesInterim() {
      return true;
    }

    @Override
    public void writeContinue() {
      stream.write("100");
    }

    @Override
    public void writeInterim(int status, FieldLines lines) {
      stream.write(Integer.toString(status));
    }

    @Override
    public void writeOverloaded() {
      stream.write("503");
    }

    @Override
    public void writeContent(ByteBuf content) {
      stream.write(content.toString(StandardCharsets.US_ASCII));
      content.release();
    }
  }

  @Test
  void exchangesEndInAnyOrder() {
    Stream first = connection.request();
    Stream second = connection.request();
    second.answer(202);
    first.answer(201);
    assertThat(channel.received()).isEqualTo("<2 202><1 201>");
    assertThat(records).containsExactly("- 202 false", "- 201 false");
  }

  @Test
  void aFailedExchangeLeavesTheOthersAlone() {
    Stream first = connection.request();
    Stream second = connection.request();
    channel.run(() -> first.failed(new IllegalStateException("of a test")));
    assertThat(channel.received()).isEqualTo("<1 500>");
    assertThat(first.events.log).containsExactly("gone");
    second.answer(200);
    assertThat(channel.received()).isEqualTo("<2 200>");
    assertThat(second.events.log).isEmpty();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aCutResponseEndsItsStreamOnly() {
    Stream first = connection.request();
    Stream second = connection.request();
    channel.run(
        () -> {
          first.head(OutgoingHead.of(200, new FieldLines(0)).content(ContentLength.UNKNOWN, false));
          first.abort("of a test");
        });
    assertThat(channel.received()).isEqualTo("<1 200><1 reset>");
    second.answer(200);
    assertThat(channel.received()).isEqualTo("<2 200>");
  }

  @Test
  void eachStreamGetsItsContentAsItAsks() {
    Stream first = connection.request();
    Stream second = connection.request();
    first.arrives("a");
    second.arrives("b");
    assertThat(first.events.log).isEmpty();
    channel.run(second::readContent);
    assertThat(second.events.log).containsExactly("b");
    channel.run(first::readContent);
    first.endsContent();
    channel.run(first::readContent);
    assertThat(first.events.log).containsExactly("a", "end");
    first.answer(200);
    second.answer(200);
  }

  @Test
  void contentThatDoesNotComeFailsItsExchange() {
    Stream first = connection.request();
    Stream second = connection.request();
    channel.run(first::readContent);
    channel.pass(6_000);
    assertThat(first.events.log).containsExactly("failed " + ParseFailure.TOO_SLOW);
    assertThat(second.events.log).isEmpty();
    first.answer(408);
    second.answer(200);
    assertThat(records).containsExactly("- 408 false", "- 200 false");
  }

  @Test
  void allOfThemEndWithTheConnection() {
    Stream first = connection.request();
    Stream second = connection.request();
    channel.peerVanishes();
    assertThat(first.events.log).containsExactly("gone");
    assertThat(second.events.log).containsExactly("gone");
    assertThat(records).containsExactly("- 0 true", "- 0 true");
  }
}
