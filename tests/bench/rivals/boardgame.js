// boardgame.io beside us: serves a game of counting, or plays matches on such a server.
//
//   node boardgame.js serve FOLDER PORT [FILES]   storage in memory, or in the folder FILES
//   node boardgame.js play FOLDER PORT MATCHES MOVES
//
// FOLDER holds node_modules with boardgame.io and node-persist. `GET /processor` tells the server's
// processor time in microseconds; `play` prints what it rose by, and how many moves were confirmed.

const { createRequire } = require("module");

const [what, folder, port, ...more] = process.argv.slice(2);
const load = createRequire(`${folder}/`);

const game = {
  name: "counting",
  setup: () => ({ count: 0 }),
  turn: { minMoves: 1, maxMoves: 1 },
  moves: {
    add: ({ G }, order) => {
      G.count += 1;
      G.last = order;
    },
  },
};

function serve(files) {
  const { Server, FlatFile } = load("boardgame.io/server");
  const db = files ? new FlatFile({ dir: files }) : undefined;
  const server = Server({ games: [game], db, origins: ["http://127.0.0.1"] });
  server.router.get("/processor", (context) => {
    const { user, system } = process.cpuUsage();
    context.body = { microseconds: user + system };
  });
  server.run({ port: Number(port), callback: () => console.log("ready") });
}

async function ask(path, body) {
  const sent = body && {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  return (await fetch(`http://127.0.0.1:${port}${path}`, sent)).json();
}

async function sitDown() {
  const { Client } = load("boardgame.io/client");
  const { SocketIO } = load("boardgame.io/multiplayer");
  const { matchID } = await ask("/games/counting/create", { numPlayers: 2 });
  const seats = [];
  for (const playerID of ["0", "1"]) {
    const { playerCredentials } = await ask(`/games/counting/${matchID}/join`, { playerID, playerName: playerID });
    const multiplayer = SocketIO({ server: `http://127.0.0.1:${port}` });
    seats.push(Client({ game, matchID, playerID, credentials: playerCredentials, multiplayer, debug: false }));
  }
  return seats;
}

// Resolves once the client has been told by the server of so many moves.
function reached(client, count) {
  return new Promise((resolve) => {
    const look = (state) => state && state.G.count >= count && state.isConnected && resolve();
    client.subscribe(look);
  });
}

async function play(matches, moves) {
  let used = 0;
  for (let n = 0; n < matches; n += 1) {
    const seats = await sitDown();
    const joined = seats.map((client) => reached(client, 0));
    seats.forEach((client) => client.start());
    await Promise.all(joined);
    const before = (await ask("/processor")).microseconds;
    for (let move = 0; move < moves; move += 1) {
      const told = reached(seats[(move + 1) % 2], move + 1); // the other one, whom only the server tells
      seats[move % 2].moves.add("^ ^ F TL H");
      await told;
    }
    used += (await ask("/processor")).microseconds - before;
    seats.forEach((client) => client.stop());
  }
  console.log(JSON.stringify({ microseconds: used, moves: matches * moves }));
  process.exit(0);
}

if (what === "serve") serve(more[0]);
else play(Number(more[0]), Number(more[1]));
