// Stands in for the Worker and gives itself away: whatever reaches it is a run of the Worker.
export default { fetch: () => new Response("invoked", { status: 599 }) };
