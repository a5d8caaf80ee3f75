package io.loligo.cluster.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class ChannelsTest {
  private static final NodeRun SELF = new NodeRun(new UUID(0, 1), 1);
  private static final NodeRun OTHER = new NodeRun(new UUID(0, 2), 1);
  private static final InetSocketAddress PLACE = new InetSocketAddress("127.0.0.1", 1);
  private static final View VIEW =
      new View(1, List.of(new Member(SELF, "a", PLACE, PLACE, 1, false, 1)));

  private final List<byte[]> sent = new ArrayList<>();
  private final Channels channels = new Channels(new Sent());

  private final class Sent implements Group {
    @Override
    public NodeRun self() {
      return SELF;
    }

    @Override
    public void start(Listener listener) {
      listener.view(VIEW);
    }

    @Override
    public void send(NodeRun to, byte[] message) {
      sent.add(message);
    }

    @Override
    public void announce(Member self) {}

    @Override
    public int configured() {
      return 7;
    }

    @Override
    public boolean isConfigured(Member member) {
      return false;
    }

    @Override
    public void close() {}
  }

  private static final class Told implements Group.Listener {
    final List<View> views = new ArrayList<>();
    final List<String> messages = new ArrayList<>();

    @Override
    public void view(View view) {
      views.add(view);
    }

    @Override
    public void message(NodeRun from, byte[] message) {
      messages.add(Arrays.toString(message));
    }
  }

  @Test
  void eachPartGetsTheViewsAndItsOwnMessages() {
    Told first = new Told();
    Told second = new Told();
    channels.channel(1).start(first);
    channels.start();
    channels.channel(2).start(second);
    assertThat(first.views).containsExactly(VIEW);
    assertThat(second.views).as("the view that was there").containsExactly(VIEW);
    channels.channel(2).send(OTHER, new byte[] {5, 6});
    channels.message(OTHER, sent.get(0));
    channels.message(OTHER, new byte[] {});
    channels.message(OTHER, new byte[] {3, 1});
    assertThat(first.messages).isEmpty();
    assertThat(second.messages).containsExactly("[5, 6]");
    assertThat(channels.channel(1).configured()).isEqualTo(7);
    assertThat(channels.channel(1).isConfigured(VIEW.members().get(0))).isFalse();
  }

  @Test
  void aClosedPartIsToldNothing() {
    Told told = new Told();
    Group channel = channels.channel(1);
    channel.start(told);
    channel.close();
    channels.start();
    channels.message(OTHER, new byte[] {1, 1});
    assertThat(told.views).isEmpty();
    assertThat(told.messages).isEmpty();
  }

  @Test
  void theFailureOfAPartKeepsNoOtherFromHearing() {
    Told second = new Told();
    IllegalStateException failure = new IllegalStateException("a defect");
    channels
        .channel(1)
        .start(
            new Group.Listener() {
              @Override
              public void view(View view) {
                throw failure;
              }

              @Override
              public void message(NodeRun from, byte[] message) {}
            });
    channels.channel(2).start(second);
    assertThatThrownBy(channels::start).isSameAs(failure);
    assertThat(second.views).containsExactly(VIEW);
  }

  /** A part may rely on what one with a lower number knows of the members. */
  @Test
  void partsAreToldOfAViewInTheOrderOfTheirNumbers() {
    List<Integer> order = new ArrayList<>();
    for (int number : new int[] {19, 2, 1, 16, 0, 33}) {
      channels
          .channel(number)
          .start(
              new Group.Listener() {
                @Override
                public void view(View view) {
                  order.add(number);
                }

                @Override
                public void message(NodeRun from, byte[] message) {}
              });
    }
    channels.start();
    assertThat(order).containsExactly(0, 1, 2, 16, 19, 33);
  }
}
