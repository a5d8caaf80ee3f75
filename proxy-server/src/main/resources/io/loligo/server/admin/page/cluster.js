// The section "cluster": the nodes as this one sees them, and what it counts of them.

import { barCell, byId, numberCell, Rows, setText, textCell } from './dom.js';
import * as format from './format.js';

/** Numbers of /cluster in words, in the order of the table; the others follow with their names. */
const PEERS = {
  peer_requests: 'Requests to other nodes', peer_failures: 'Refused, reset or silent', ejections: 'Nodes out of routing',
  fall_backs: 'Fall-backs to origins', fall_backs_refused: 'Fall-backs beyond the limit',
  connection_waits: 'Waits for a connection to a node',
  acknowledgement_p50_us: 'Acknowledgement, p50', acknowledgement_p99_us: 'Acknowledgement, p99',
  copy_hits: 'Responses from copies', copies: 'Copies now', copy_bytes: 'Size of the copies',
  second_copies: 'Second copies fetched',
};
const PURGES = {
  lag: 'Lag: known and not carried out', published: 'Of this node', received: 'Of other nodes', revalidations: 'Times that everything was validated',
};

/** Shows one answer of /cluster after the other. */
export class Cluster {
  constructor() {
    this.nodes = new Rows(byId('cluster-nodes'), node => [
      textCell(node.name, 'cut'), textCell(stateOf(node), isWell(node) ? '' : 'warn'), numberCell(node.weight, format.count(node.weight)),
      node.keys_percent === undefined ? textCell('') : barCell(node.keys_percent / 100, 'c-hit'),
      node.keys_percent === undefined ? textCell('–', 'number') : numberCell(node.keys_percent, format.ratio(node.keys_percent / 100)),
    ], 'No node.');
    const numbers = (id, empty) => new Rows(byId(id), row => [textCell(row.text), numberCell(row.value, row.shown)], empty);
    this.peers = numbers('cluster-peers', 'This cluster shares no cache.');
    this.purges = numbers('cluster-purges', '');
  }

  show(cluster) {
    setText(byId('cluster-name'), cluster.cluster + ', mode ' + cluster.mode);
    const state = byId('cluster-state');
    setText(state, sentences(cluster));
    state.classList.toggle('warn', cluster.members < cluster.configured || !cluster.trusted || Boolean(cluster.behind));
    this.nodes.show(cluster.nodes, node => node.node + ' ' + node.address);
    this.peers.show(rows(cluster.share ?? {}, PEERS), row => row.name);
    this.purges.show([...rows(cluster.purges, PURGES), counted('view_changes', 'Changes of the members', cluster.view_changes)], row => row.name);
  }
}

function sentences(cluster) {
  const told = [cluster.members + ' of ' + cluster.configured + ' nodes are there.'];
  if (!cluster.trusted) {
    told.push('This node validates what it has stored, since it may have missed purges.');
  }
  if (cluster.drained) {
    told.push('An operator drains this node: it owns no keys.');
  }
  if (cluster.behind) {
    told.push('This node is behind with purges: it owns no keys.');
  }
  return told.join(' ');
}

const isWell = node => !node.draining && node.asked !== false;

function stateOf(node) {
  const state = node.draining ? 'draining' : node.asked === false ? 'out of routing' : 'member';
  return node.self ? state + ', this one' : state;
}

const counted = (name, text, value) => ({ name, text, value, shown: shown(name, value) });

function rows(numbers, texts) {
  const known = Object.entries(texts).filter(([name]) => name in numbers).map(([name, text]) => counted(name, text, numbers[name]));
  const others = Object.keys(numbers).filter(name => !(name in texts));
  return [...known, ...others.map(name => counted(name, format.words(name), numbers[name]))];
}

function shown(name, value) {
  return name.endsWith('_us') ? format.time(value) : name.endsWith('_bytes') ? format.bytes(value) : format.count(value);
}
