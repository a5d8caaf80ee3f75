package io.loligo.server.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ExchangeRecordTest {
  private final ExchangeRecord record = new ExchangeRecord();

  private static int bit(Stage stage) {
    return 1 << stage.ordinal();
  }

  @Test
  void onlyStagesThatOccurredHaveATime() {
    record.startLap(100);
    record.lap(Stage.LOOKUP, 130);
    record.stage(Stage.TOTAL, 0);
    assertThat(record.stages()).isEqualTo(bit(Stage.LOOKUP) | bit(Stage.TOTAL));
    assertThat(record.stage(Stage.LOOKUP)).isEqualTo(30);
    assertThat(record.stage(Stage.TOTAL)).isZero();
    assertThat(record.stage(Stage.ACL)).isEqualTo(ExchangeRecord.NOT_MEASURED);
  }

  @Test
  void timesOfAnEarlierExchangeAreForgotten() {
    record.stage(Stage.LOOKUP, 30);
    record.clear();
    assertThat(record.stages()).isZero();
    assertThat(record.stage(Stage.LOOKUP)).isEqualTo(ExchangeRecord.NOT_MEASURED);
    record.addTo(Stage.LOOKUP, 5);
    assertThat(record.stage(Stage.LOOKUP)).isEqualTo(5);
  }

  @Test
  void microsecondsOfTheSequenceAddUp() {
    record.startLap(0);
    record.lap(Stage.ACL, 900);
    record.lap(Stage.LOOKUP, 1_800);
    record.lap(Stage.PROXY_REPLY, 3_600);
    record.stage(Stage.CLIENT_CONNECT, 1_900);
    record.stage(Stage.TOTAL, 3_600);
    assertThat(record.stageMicros(Stage.ACL)).isZero();
    assertThat(record.stageMicros(Stage.LOOKUP)).isEqualTo(1);
    assertThat(record.stageMicros(Stage.PROXY_REPLY)).isEqualTo(2);
    assertThat(record.stageMicros(Stage.TOTAL)).isEqualTo(3);
    assertThat(record.stageMicros(Stage.CLIENT_CONNECT)).isEqualTo(1);
    assertThat(record.stageMicros(Stage.DNS)).isEqualTo(ExchangeRecord.NOT_MEASURED);
  }
}
